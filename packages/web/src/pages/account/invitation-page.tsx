import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AccountForm, AccountPage, TokenField, tokenFromHash } from './account-form.tsx'

export function InvitationPage() {
  const session = useSession()
  const [token] = useState(tokenFromHash)
  return session === undefined ? <SignInPrompt token={token} /> : <Accept token={token} />
}

/** Passes the token on in the URL fragment. */
function SignInPrompt({ token }: { token: string }) {
  const hash = token === '' ? '' : `token=${encodeURIComponent(token)}`
  return (
    <AccountPage
      title="You have been invited"
      lead="Sign in or create an account with the email address the invitation was sent to."
    >
      <div className="grid gap-3">
        <Link to="/sign-up" hash={hash} className={buttonClass('primary')}>
          Create account
        </Link>
        <Link
          to="/sign-in"
          search={{ next: `/invitation${hash === '' ? '' : `#${hash}`}` }}
          className={buttonClass()}
        >
          Sign in
        </Link>
      </div>
    </AccountPage>
  )
}

function Accept({ token }: { token: string }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const toast = useToast()
  const accept = useMutation({
    mutationFn: (given: string) =>
      api.request('POST', '/v1/orgs/invitations/accept', { body: { token: given } }),
    onSuccess: async (joined) => {
      await queries.invalidateQueries({ queryKey: ['me'] })
      toast(`You joined ${joined.org_name} as ${joined.role}`)
      await navigate({ to: '/o/$orgId', params: { orgId: joined.org_id } })
    },
  })
  return (
    <AccountPage title="Accept invitation" lead="The invitation was sent to your email address.">
      <AccountForm
        action="Accept invitation"
        busy={accept.isPending}
        error={accept.error}
        onSubmit={(value) => accept.mutate(value('token').trim())}
      >
        <TokenField defaultValue={token} hint="From the invitation email" />
      </AccountForm>
    </AccountPage>
  )
}
