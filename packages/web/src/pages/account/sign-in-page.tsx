import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { publicApi } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { AccountForm, AccountPage, EmailField } from './account-form.tsx'
import { useCompleteSignIn } from './use-complete-sign-in.ts'

export function SignInPage() {
  const { next } = useSearch({ from: '/site/sign-in' })
  const completeSignIn = useCompleteSignIn()
  const domain = useMutation({
    mutationFn: (email: string) =>
      publicApi.request('GET', '/v1/auth/sso/check-domain', { query: { email } }),
  })
  const signIn = useMutation({
    mutationFn: async (body: { email: string; password: string }) =>
      completeSignIn(await publicApi.request('POST', '/v1/auth/login', { body }), next),
  })
  const sso = domain.data?.sso === true ? domain.data : undefined
  return (
    <AccountPage
      title="Sign in"
      lead="See what your agents did, and decide what they may do."
      after={<OtherOptions />}
    >
      <AccountForm
        action="Sign in"
        busy={signIn.isPending}
        error={signIn.error}
        onSubmit={(value) => signIn.mutate({ email: value('email'), password: value('password') })}
      >
        <EmailField onLeave={(email) => email.includes('@') && domain.mutate(email)} />
        {typeof sso?.login_url === 'string' ? (
          <SsoOffer loginUrl={sso.login_url} enforced={sso.enforced} next={next} />
        ) : null}
        <Field label="Password">
          {(control) => (
            <Input
              {...control}
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
          )}
        </Field>
      </AccountForm>
    </AccountPage>
  )
}

function OtherOptions() {
  return (
    <>
      <p>
        <Link to="/password-reset" className="text-accent underline">
          Set a new password
        </Link>{' '}
        if you have forgotten yours.
      </p>
      <p>
        <Link to="/sign-up" className="text-accent underline">
          Make an account
        </Link>{' '}
        with the token of an invitation. Without one, only where the service takes everybody.
      </p>
    </>
  )
}

type SsoOfferProps = { loginUrl: string; enforced: boolean; next: string | undefined }

function SsoOffer({ loginUrl, enforced, next }: SsoOfferProps) {
  const go = () => {
    const url = new URL(loginUrl, location.href)
    if (next !== undefined) url.searchParams.set('return_to', next)
    location.assign(url)
  }
  return (
    <div className="grid gap-2 rounded-md bg-info-wash px-4 py-3 text-sm">
      <p className="text-info">
        {enforced
          ? 'Your organisation wants its people to sign in through its identity provider.'
          : 'Your organisation has an identity provider of its own.'}
      </p>
      <div>
        <Button onClick={go}>Continue with single sign-on</Button>
      </div>
    </div>
  )
}
