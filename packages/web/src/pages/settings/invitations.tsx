import type { Answer } from '@touchstone/sdk'
import type { FormEvent } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { FormErrors } from '../../ui/form-errors.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { useInvitations, useSettingsAction } from './queries.ts'
import { GIVEN_ROLES, RoleOptions } from './role-options.tsx'

type Invitation = Answer<'GET', '/v1/orgs/{org_id}/invitations'>['invitations'][number]

export function Invitations({ orgId }: { orgId: string }) {
  const invitations = useInvitations(orgId)
  return (
    <Card
      title="Invitations"
      note="Sent by email. Only the person who receives the email can accept."
    >
      <div className="grid gap-5">
        <InviteForm orgId={orgId} />
        <Loaded query={invitations}>
          {(found) => <PendingInvitations orgId={orgId} invitations={found.invitations} />}
        </Loaded>
      </div>
    </Card>
  )
}

function InviteForm({ orgId }: { orgId: string }) {
  const invite = useSettingsAction(orgId, {
    run: (body: { email: string; role: Invitation['role'] }) =>
      api.request('POST', '/v1/orgs/{org_id}/invitations', { params: { org_id: orgId }, body }),
    done: (sent) => `Invited ${sent.email}`,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const values = new FormData(form)
    const role = GIVEN_ROLES.find((known) => known === values.get('role')) ?? 'member'
    invite.mutate(
      { email: String(values.get('email')), role },
      {
        onSuccess: () => form.reset(),
      },
    )
  }
  return (
    <form onSubmit={submit} className="grid gap-3">
      <FormErrors error={invite.error} fields={['email']}>
        <div className="flex flex-wrap items-end gap-3">
          <Field name="email" label="Email" className="min-w-56 flex-1">
            {(control) => <Input {...control} name="email" type="email" required />}
          </Field>
          <Field label="Role" className="w-36">
            {(control) => (
              <Select {...control} name="role" defaultValue="member">
                <RoleOptions />
              </Select>
            )}
          </Field>
          <Button type="submit" tone="primary" busy={invite.isPending}>
            Invite
          </Button>
        </div>
      </FormErrors>
    </form>
  )
}

function PendingInvitations({ orgId, invitations }: { orgId: string; invitations: Invitation[] }) {
  const revoke = useSettingsAction(orgId, {
    run: (id: string) =>
      api.request('DELETE', '/v1/orgs/{org_id}/invitations/{invitation_id}', {
        params: { org_id: orgId, invitation_id: id },
      }),
    done: () => 'Invitation revoked',
  })
  if (invitations.length === 0) {
    return <p className="text-sm text-ink-soft">No pending invitations</p>
  }
  return (
    <ul className="text-sm">
      {invitations.map((invitation) => (
        <li
          key={invitation.invitation_id}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-2"
        >
          <span>{invitation.email}</span>
          <span className="text-ink-soft">{sentenceCase(invitation.role)}</span>
          <span className="text-ink-faint">Expires {formatDate(invitation.expires_at)}</span>
          <Button
            tone="quiet"
            className="ml-auto"
            busy={revoke.isPending && revoke.variables === invitation.invitation_id}
            onClick={() => revoke.mutate(invitation.invitation_id)}
          >
            Revoke
          </Button>
        </li>
      ))}
      {revoke.error ? <ErrorState error={revoke.error} /> : null}
    </ul>
  )
}
