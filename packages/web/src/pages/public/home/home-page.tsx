import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Input } from '../../../ui/field.tsx'
import { ArrowIcon, SearchIcon } from '../../../ui/icons.tsx'
import { Example } from './example.tsx'

/** The first screen: what this is, one agent as an example, and where each reader goes next. */
export function HomePage() {
  useEffect(() => {
    document.title = 'Touchstone: how far can you trust an agent?'
  }, [])
  return (
    <div className="mx-auto w-full max-w-[76rem] px-4 sm:px-6 lg:px-8">
      <div className="grid gap-10 py-10 lg:grid-cols-[minmax(0,1fr)_25rem] lg:items-center lg:gap-16 lg:py-14">
        <div className="max-w-[38rem]">
          <h1 className="font-serif text-4xl leading-[1.1] font-semibold sm:text-5xl">
            How far can you trust an agent?
          </h1>
          <p className="mt-5 text-lg leading-relaxed text-ink-soft">
            Touchstone records what software agents decide and seals it, so that nobody can quietly
            change it. From that evidence it rates each agent from 0 to 1000, and anybody can
            compute the number again. Policies then say what an agent may do, before it does it.
          </p>
          <SearchForm />
        </div>
        <Example />
      </div>
      <Paths />
      <p className="border-t border-line py-6 text-sm text-ink-soft">
        <b className="text-ink">Just started it?</b> The e-mail address and password of the first
        account were printed where you typed <code className="font-mono">npm start</code>; they are
        also kept in <code className="font-mono">credentials.json</code> in the data folder. The
        demo organisation has an account of its own, printed beside them:{' '}
        <Link to="/sign-in" className="text-accent underline underline-offset-4">
          sign in
        </Link>{' '}
        with it to see what its agents may do, and to change it.
      </p>
    </div>
  )
}

function SearchForm() {
  const navigate = useNavigate()
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const q = String(new FormData(event.currentTarget).get('q')).trim()
    void navigate({ to: '/directory', search: q === '' ? {} : { q } })
  }
  return (
    <search>
      <form onSubmit={search} className="mt-7 flex max-w-md gap-2">
        <Input
          name="q"
          type="search"
          aria-label="Name or id of an agent"
          placeholder="Look up an agent"
        />
        <Button type="submit" tone="primary">
          <SearchIcon />
          Look up
        </Button>
      </form>
    </search>
  )
}

function Paths() {
  return (
    <div className="grid gap-x-10 border-t border-line sm:grid-cols-3">
      <Path who="You run agents" next={<Link to="/sign-in">Sign in and see yours</Link>}>
        Watch decisions as they happen, write the policy, approve what waits for a person, and stop
        an agent with one click.
      </Path>
      <Path who="You build agents" next={<a href="/docs">Read the interface</a>}>
        Register an agent, send its reasoning with one request, and get a verdict, a certificate and
        a badge.
      </Path>
      <Path who="You check agents" next={<Link to="/verify">Verify a piece of evidence</Link>}>
        Download the evidence behind any score and check it in your browser. Nothing has to be
        believed.
      </Path>
    </div>
  )
}

function Path({ who, next, children }: { who: string; next: ReactNode; children: ReactNode }) {
  return (
    <section className="border-b border-line py-6 last:border-0 sm:border-0">
      <h2 className="font-serif text-xl font-semibold">{who}</h2>
      <p className="mt-1.5 text-ink-soft">{children}</p>
      <p className="mt-3 flex items-center gap-1.5 font-medium text-accent [&_a]:underline [&_a]:underline-offset-4">
        {next}
        <ArrowIcon />
      </p>
    </section>
  )
}
