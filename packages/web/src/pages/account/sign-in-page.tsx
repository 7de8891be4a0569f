import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { useState } from 'react'
import { publicApi } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { AccountForm, AccountPage, CodeField, EmailField } from './account-form.tsx'
import { useCompleteSignIn } from './use-complete-sign-in.ts'

type Challenge = Extract<Answer<'POST', '/v1/auth/login'>, { mfa_required: true }>

export function SignInPage() {
  const { next } = useSearch({ from: '/site/sign-in' })
  const [challenge, setChallenge] = useState<Challenge>()
  return challenge === undefined ? (
    <PasswordStep next={next} onChallenge={setChallenge} />
  ) : (
    <CodeStep next={next} challenge={challenge} onBack={() => setChallenge(undefined)} />
  )
}

type PasswordStepProps = {
  next: string | undefined
  onChallenge: (challenge: Challenge) => void
}

function PasswordStep({ next, onChallenge }: PasswordStepProps) {
  const completeSignIn = useCompleteSignIn()
  const domain = useMutation({
    mutationFn: (email: string) =>
      publicApi.request('GET', '/v1/auth/sso/check-domain', { query: { email } }),
  })
  const signIn = useMutation({
    mutationFn: async (body: { email: string; password: string }) => {
      const answer = await publicApi.request('POST', '/v1/auth/login', { body })
      if ('mfa_required' in answer) onChallenge(answer)
      else await completeSignIn(answer, next)
    },
  })
  const sso = domain.data?.sso === true ? domain.data : undefined
  return (
    <AccountPage title="Sign in" lead="Monitor and govern your agents." after={<OtherOptions />}>
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

type CodeStepProps = { next: string | undefined; challenge: Challenge; onBack: () => void }

function CodeStep({ next, challenge, onBack }: CodeStepProps) {
  const completeSignIn = useCompleteSignIn()
  const signIn = useMutation({
    mutationFn: async (code: string) => {
      const body = { challenge_token: challenge.challenge_token, code }
      await completeSignIn(
        await publicApi.request('POST', '/v1/auth/login/second-factor', { body }),
        next,
      )
    },
  })
  return (
    <AccountPage
      title="Enter your code"
      lead="Your account has a second factor."
      after={
        <p>
          <Button tone="quiet" className="-ml-3" onClick={onBack}>
            Sign in with another account
          </Button>
        </p>
      }
    >
      <AccountForm
        action="Continue"
        busy={signIn.isPending}
        error={signIn.error}
        onSubmit={(value) => signIn.mutate(value('code').trim())}
      >
        <CodeField hint="From your authenticator app, or one of your recovery codes" />
      </AccountForm>
    </AccountPage>
  )
}

function OtherOptions() {
  return (
    <>
      <p>
        <TextLink to="/password-reset">Forgot password?</TextLink>
      </p>
      <p>
        <TextLink to="/sign-up">Create account</TextLink> with an invitation token. Some services
        also allow sign-up without one.
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
          ? 'Your organisation requires single sign-on.'
          : 'Your organisation supports single sign-on.'}
      </p>
      <div>
        <Button onClick={go}>Continue with single sign-on</Button>
      </div>
    </div>
  )
}
