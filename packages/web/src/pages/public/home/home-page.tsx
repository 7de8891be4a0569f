import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Input } from '../../../ui/field.tsx'
import { ArrowIcon, SearchIcon } from '../../../ui/icons.tsx'
import { TextLink } from '../../../ui/text-link.tsx'
import { Example } from './example.tsx'

/** The home page: what Touchstone does, a live example, and an entry point for each audience. */
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
            Touchstone records the decisions of software agents as tamper-evident evidence. It rates
            each agent from 0 to 1000, and anyone can recompute the score from the evidence.
            Policies control what an agent may do before it does it.
          </p>
          <SearchForm />
        </div>
        <Example />
      </div>
      <Paths />
      <p className="border-t border-line py-6 text-sm text-ink-soft">
        <b className="text-ink">Just installed Touchstone?</b> The email address and password of the
        first account were printed in the terminal where you ran{' '}
        <code className="font-mono">npm start</code> and are stored in{' '}
        <code className="font-mono">credentials.json</code> in the data folder. The account of the
        demo organisation was printed next to them: <TextLink to="/sign-in">sign in</TextLink> with
        it to explore its agents and policies.
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
          aria-label="Agent name or ID"
          placeholder="Agent name or ID"
        />
        <Button type="submit" tone="primary">
          <SearchIcon />
          Search
        </Button>
      </form>
    </search>
  )
}

function Paths() {
  return (
    <div className="grid gap-x-10 border-t border-line sm:grid-cols-3">
      <Path who="You run agents" next={<Link to="/sign-in">Sign in to your console</Link>}>
        Watch decisions live, write policies, approve escalated calls, and stop an agent
        immediately.
      </Path>
      <Path who="You build agents" next={<Link to="/docs">Read the documentation</Link>}>
        Register an agent, send its reasoning in one request, and get a verdict, a certificate and a
        score badge.
      </Path>
      <Path who="You audit agents" next={<Link to="/verify">Verify evidence</Link>}>
        Download the evidence behind any score and verify it in your browser. You do not have to
        trust the service.
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
