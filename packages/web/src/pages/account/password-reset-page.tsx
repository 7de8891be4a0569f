import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { publicApi } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { NewPasswordField } from '../../ui/new-password-field.tsx'
import { AccountForm, AccountPage, EmailField, TokenField, tokenFromHash } from './account-form.tsx'

/**
 * Two steps: request the email, then enter its token. The link in the email skips the first step.
 */
export function PasswordResetPage() {
  const [token] = useState(tokenFromHash)
  const [step, setStep] = useState<'request' | 'confirm' | 'done'>(
    token === '' ? 'request' : 'confirm',
  )
  if (step === 'done') return <Done />
  return step === 'request' ? (
    <RequestForm onRequested={() => setStep('confirm')} />
  ) : (
    <ConfirmForm token={token} onDone={() => setStep('done')} />
  )
}

function RequestForm({ onRequested }: { onRequested: () => void }) {
  const request = useMutation({
    mutationFn: (email: string) =>
      publicApi.request('POST', '/v1/auth/password-reset', { body: { email } }),
    onSuccess: onRequested,
  })
  return (
    <AccountPage
      title="Reset password"
      lead="If an account exists for this address, we will send it an email with a reset token."
      after={
        <p>
          <Button tone="quiet" className="-ml-3" onClick={onRequested}>
            I already have a token
          </Button>
        </p>
      }
    >
      <AccountForm
        action="Send reset email"
        busy={request.isPending}
        error={request.error}
        onSubmit={(value) => request.mutate(value('email'))}
      >
        <EmailField />
      </AccountForm>
    </AccountPage>
  )
}

function ConfirmForm({ token, onDone }: { token: string; onDone: () => void }) {
  const confirm = useMutation({
    mutationFn: (body: { token: string; new_password: string }) =>
      publicApi.request('POST', '/v1/auth/password-reset/confirm', { body }),
    onSuccess: onDone,
  })
  return (
    <AccountPage title="Choose a new password" lead="Enter the token from the email we sent you.">
      <AccountForm
        action="Set password"
        busy={confirm.isPending}
        error={confirm.error}
        onSubmit={(value) =>
          confirm.mutate({ token: value('token').trim(), new_password: value('password') })
        }
      >
        <TokenField defaultValue={token} hint="From the email; it can be used once" />
        <NewPasswordField label="New password" />
      </AccountForm>
    </AccountPage>
  )
}

function Done() {
  return (
    <AccountPage title="Password updated" lead="You have been signed out everywhere else.">
      <Link to="/sign-in" className={buttonClass('primary', 'w-full')}>
        Sign in
      </Link>
    </AccountPage>
  )
}
