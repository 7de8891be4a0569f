import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { useState } from 'react'
import { AgentLink } from '../../names/agent-link.tsx'
import { api } from '../../session/session.ts'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/field.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { settingsKey, useMembers } from './queries.ts'

type Entry = Answer<'GET', '/v1/orgs/{org_id}/audit-log'>['entries'][number]

const PER_PAGE = 25

const columnsFor = (people: ReadonlyMap<string, string>): Column<Entry>[] => [
  { key: 'time', label: 'Time', ownLine: false, cell: (entry) => <Ago at={entry.created_at} /> },
  {
    key: 'action',
    label: 'Action',
    cell: (entry) => <span className="font-mono text-[0.8125rem]">{entry.action}</span>,
  },
  {
    key: 'actor',
    label: 'Actor',
    cell: (entry) => <Actor actor={entry.actor} people={people} />,
  },
  {
    key: 'target',
    label: 'Target',
    cell: (entry) => (
      <>
        {entry.target.type === 'agent' ? (
          <AgentLink agentId={entry.target.id} />
        ) : (
          entry.target.type
        )}
        <p className="font-mono text-xs text-ink-faint">{entry.target.id}</p>
      </>
    ),
  },
  {
    key: 'changes',
    label: 'Changes',
    className: 'min-w-48',
    cell: (entry) => <Changes entry={entry} />,
  },
]

export function AuditTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/audit-log' })
  const members = useMembers(orgId)
  const people = new Map(
    members.data?.members.map((member) => [member.user_id, member.email ?? member.user_id]),
  )
  const [page, setPage] = useState(1)
  const [action, setAction] = useState('')
  const log = useQuery({
    queryKey: settingsKey(orgId, 'audit-log', page, action),
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/audit-log', {
        params: { org_id: orgId },
        query: { page, per_page: PER_PAGE, action: action === '' ? undefined : action },
      }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Input
        aria-label="Filter by action (exact match)"
        placeholder="Action, such as api_key.created"
        className="mb-3 font-mono sm:max-w-72"
        value={action}
        onChange={(event) => {
          setAction(event.target.value.trim())
          setPage(1)
        }}
      />
      <Card padded={false}>
        <Loaded query={log} lines={5}>
          {(found) => (
            <Paged
              page={page}
              perPage={PER_PAGE}
              total={found.total}
              onPage={setPage}
              empty={<Empty title="No matching entries" />}
            >
              <Table
                caption="Audit log, newest first"
                columns={columnsFor(people)}
                rows={found.entries}
                keyOf={(entry) => entry.id}
              />
            </Paged>
          )}
        </Loaded>
      </Card>
    </>
  )
}

function Changes({ entry }: { entry: Entry }) {
  const changes = Object.entries(entry.changes)
  if (changes.length === 0) return <span className="text-ink-faint">–</span>
  return (
    <ul className="grid gap-0.5 text-xs">
      {changes.slice(0, 4).map(([field, { from, to }]) => (
        <li key={field} className="break-words">
          <span className="text-ink-faint">{field}:</span> {truncate(from)} → {truncate(to)}
        </li>
      ))}
      {changes.length > 4 ? (
        <li className="text-ink-faint">and {changes.length - 4} more</li>
      ) : null}
    </ul>
  )
}

function truncate(value: unknown): string {
  if (value === undefined || value === null) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

const KINDS = { user: 'User', api_key: 'API key', system: 'System' } as const

type ActorProps = { actor: Entry['actor']; people: ReadonlyMap<string, string> }

function Actor({ actor, people }: ActorProps) {
  return (
    <>
      {people.get(actor.id) ?? KINDS[actor.type]}
      {people.has(actor.id) ? null : (
        <p className="max-w-40 truncate font-mono text-xs text-ink-faint" title={actor.id}>
          {actor.id}
        </p>
      )}
      {actor.impersonated_by === null ? null : (
        <p className="text-xs text-warn">Impersonated by {actor.impersonated_by}</p>
      )}
    </>
  )
}
