import { useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { useState } from 'react'
import { api } from '../../session/session.ts'
import { useMe } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Select } from '../../ui/field.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { Invitations } from './invitations.tsx'
import { useMembers, useSettingsAction } from './queries.ts'
import { RoleOptions } from './role-options.tsx'

type Member = Answer<'GET', '/v1/orgs/{org_id}/members'>['members'][number]

const ROLES: Member['role'][] = ['owner', 'admin', 'auditor', 'member']

export function MembersTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/members' })
  const members = useMembers(orgId)
  return (
    <div className="grid gap-6">
      <Card
        title="Members"
        note="Owners have full access. Admins manage agents and policies. Auditors have read access, including the audit log. Members read, send evidence and request decisions."
        padded={false}
      >
        <Loaded query={members}>
          {(found) => <MemberTable orgId={orgId} members={found.members} />}
        </Loaded>
      </Card>
      <Invitations orgId={orgId} />
    </div>
  )
}

function MemberTable({ orgId, members }: { orgId: string; members: Member[] }) {
  const me = useMe()
  const [removing, setRemoving] = useState<Member>()
  const change = useSettingsAction(orgId, {
    run: ({ user_id, role }: Pick<Member, 'user_id' | 'role'>) =>
      api.request('PATCH', '/v1/orgs/{org_id}/members/{user_id}', {
        params: { org_id: orgId, user_id },
        body: { role },
      }),
    done: (done) => `Role changed to ${done.new_role}`,
  })
  const remove = useSettingsAction(orgId, {
    run: (userId: string) =>
      api.request('DELETE', '/v1/orgs/{org_id}/members/{user_id}', {
        params: { org_id: orgId, user_id: userId },
      }),
    done: () => 'Member removed',
  })
  const columns: Column<Member>[] = [
    {
      key: 'who',
      label: 'Member',
      cell: (member) => (
        <>
          {member.email ?? member.user_id}
          {member.user_id === me.data?.user_id ? (
            <span className="text-ink-faint"> (you)</span>
          ) : null}
        </>
      ),
    },
    {
      key: 'role',
      label: 'Role',
      cell: (member) => (
        <Select
          aria-label={`Role of ${member.email ?? member.user_id}`}
          className="max-w-36"
          value={member.role}
          onChange={(event) =>
            change.mutate({
              user_id: member.user_id,
              role: ROLES.find((role) => role === event.target.value) ?? member.role,
            })
          }
        >
          <RoleOptions roles={ROLES} />
        </Select>
      ),
    },
    { key: 'since', label: 'Joined', cell: (member) => <Ago at={member.accepted_at} /> },
    {
      key: 'remove',
      label: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (member) => (
        <Button tone="quiet" onClick={() => setRemoving(member)}>
          Remove
        </Button>
      ),
    },
  ]
  return (
    <>
      <Table
        caption="Members"
        columns={columns}
        rows={members}
        keyOf={(member) => member.user_id}
      />
      {change.error ? <ErrorState error={change.error} /> : null}
      <Confirm
        open={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title="Remove this member?"
        action="Remove"
        mutation={remove}
        input={removing?.user_id}
      >
        {removing?.email ?? 'This member'} loses access immediately. The audit log keeps their past
        actions.
      </Confirm>
    </>
  )
}
