import { useMutation } from '@tanstack/react-query'
import { ApiError } from '@touchstone/sdk'
import { useState } from 'react'
import { publicApi } from '../../session/session.ts'
import { Field, Input } from '../../ui/field.tsx'
import { NewPasswordField } from '../../ui/new-password-field.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { AccountForm, AccountPage, EmailField, tokenFromHash } from './account-form.tsx'
import { useCompleteSignIn } from './use-complete-sign-in.ts'

type Signup = {
  email: string
  password: string
  name: string | null
  invitation_token: string | null
}

const trimmedOrNull = (text: string) => (text.trim() === '' ? null : text.trim())

/**
 * Adds a hint to a 403, because the API does not say in advance whether sign-up needs an
 * invitation.
 */
function explainRefusal(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 403) return error
  return `${error.message} An owner or admin of an organisation can invite you under Settings.`
}

export function SignUpPage() {
  const [token] = useState(tokenFromHash)
  const completeSignIn = useCompleteSignIn()
  const signUp = useMutation({
    mutationFn: async (body: Signup) =>
      completeSignIn(await publicApi.request('POST', '/v1/auth/signup', { body })),
  })
  return (
    <AccountPage
      title="Create account"
      lead="With an invitation you join its organisation immediately. Some services require an invitation."
      after={
        <p>
          Already have an account? <TextLink to="/sign-in">Sign in</TextLink>
        </p>
      }
    >
      <AccountForm
        action="Create account"
        busy={signUp.isPending}
        error={explainRefusal(signUp.error)}
        onSubmit={(value) =>
          signUp.mutate({
            email: value('email'),
            password: value('password'),
            name: trimmedOrNull(value('name')),
            invitation_token: trimmedOrNull(value('invitation')),
          })
        }
      >
        <EmailField />
        <Field label="Name" hint="Optional">
          {(control) => <Input {...control} name="name" autoComplete="name" maxLength={100} />}
        </Field>
        <NewPasswordField />
        <Field label="Invitation token" hint="From the invitation email, if you have one">
          {(control) => (
            <Input
              {...control}
              name="invitation"
              className="font-mono"
              autoComplete="off"
              defaultValue={token}
            />
          )}
        </Field>
      </AccountForm>
    </AccountPage>
  )
}
