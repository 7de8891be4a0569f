import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { publicApi } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { NewPasswordField } from '../../ui/new-password-field.tsx'
import { AccountForm, AccountPage, EmailField, TokenField, tokenFromHash } from './account-form.tsx'

/** Two steps: request for the mail, then bring its token. A link in the mail skips the first. */
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
      title="Set a new password"
      lead="If there is an account for the address, a mail with a token goes to it."
      after={
        <p>
          <Button tone="quiet" className="-ml-3" onClick={onRequested}>
            I have a token already
          </Button>
        </p>
      }
    >
      <AccountForm
        action="Send the mail"
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
    <AccountPage title="Choose the new password" lead="With the token that was mailed to you.">
      <AccountForm
        action="Set the password"
        busy={confirm.isPending}
        error={confirm.error}
        onSubmit={(value) =>
          confirm.mutate({ token: value('token').trim(), new_password: value('password') })
        }
      >
        <TokenField defaultValue={token} hint="From the mail. It works once." />
        <NewPasswordField label="New password" />
      </AccountForm>
    </AccountPage>
  )
}

function Done() {
  return (
    <AccountPage title="Your password is set" lead="All your sessions elsewhere have ended.">
      <Link to="/sign-in" className={buttonClass('primary', 'w-full')}>
        Sign in
      </Link>
    </AccountPage>
  )
}
