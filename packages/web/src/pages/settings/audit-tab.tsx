import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { AgentLink } from '../../names/agent-link.tsx'
import { RangePicker } from '../../range/range-picker.tsx'
import { useTimeRange } from '../../range/use-time-range.ts'
import { useAction } from '../../session/use-action.ts'
import { useActiveTeams } from '../../session/use-active-teams.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { type ExportFormat, ExportPopover } from '../../ui/export-popover.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { Paged } from '../../ui/pager.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { actionName } from './audit-names.ts'
import { AUDIT_PER_PAGE, type AuditEntry, fetchAuditExport, useAuditLog } from './audit-queries.ts'
import type { AuditSearch } from './audit-search.ts'
import { useKeys, useMembers } from './queries.ts'

const FROM = '/o/$orgId/settings/audit-log'

/** The audit log, with its filters in the address. */
export function AuditTab() {
  const { orgId } = useParams({ from: FROM })
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const range = useTimeRange()
  const log = useAuditLog(orgId, search, range)
  const names = useActorNames(orgId)
  const set = (changes: AuditSearch) =>
    void navigate({ search: { ...search, page: undefined, ...changes }, replace: true })
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        <Filters search={search} names={names} onChange={set} />
        <span className="ml-auto flex flex-wrap gap-2">
          <RangePicker usual={undefined} />
          <Export orgId={orgId} search={search} />
        </span>
      </div>
      <Card padded={false}>
        <Loaded query={log} lines={5}>
          {(found) => (
            <Paged
              page={found.page}
              perPage={AUDIT_PER_PAGE}
              total={found.total}
              onPage={(page) => void navigate({ search: { ...search, page } })}
              empty={
                <Empty title="No matching entries">
                  Entries are kept for 400 days. Remove a filter to see more.
                </Empty>
              }
            >
              <Table
                caption="Audit log, newest first"
                columns={columnsFor(names, set)}
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

type ActorNames = ReadonlyMap<string, string>

/** The people and keys of the organisation, by their ids. */
function useActorNames(orgId: string): ActorNames {
  const members = useMembers(orgId).data?.members ?? []
  const keys = useKeys(orgId).data?.keys ?? []
  return new Map([
    ...members.map(({ user_id: id, email }) => [id, email ?? id] as const),
    ...keys.map(({ key_id: id, name }) => [id, `Key “${name}”`] as const),
  ])
}

/** The actions that are looked for most. Others can be typed. */
const ACTIONS = [
  'agent.registered',
  'agent.updated',
  'api_key.created',
  'api_key.revoked',
  'approval_channels.changed',
  'card.updated',
  'containment.paused',
  'containment.killed',
  'drift.acknowledged',
  'invitation.created',
  'member.removed',
  'member.role_changed',
  'policy.updated',
  'policy.deleted',
  'webhook.created',
]

type FiltersProps = {
  search: AuditSearch
  names: ActorNames
  onChange: (changes: AuditSearch) => void
}

function Filters({ search, names, onChange }: FiltersProps) {
  return (
    <>
      <Select
        aria-label="Actor"
        className="sm:max-w-56"
        value={search.actor ?? ''}
        onChange={(event) => onChange({ actor: event.target.value || undefined })}
      >
        <option value="">Everybody</option>
        {search.actor === undefined || names.has(search.actor) ? null : (
          <option value={search.actor}>{search.actor}</option>
        )}
        {[...names].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Input
        aria-label="Action (exact match)"
        placeholder="Action"
        list="audit-actions"
        className="font-mono sm:max-w-64"
        defaultValue={search.action ?? ''}
        onChange={(event) => onChange({ action: event.target.value.trim() || undefined })}
      />
      <datalist id="audit-actions">
        {ACTIONS.map((action) => (
          <option key={action} value={action} />
        ))}
      </datalist>
      <Input
        key={search.target}
        aria-label="Target ID (exact match)"
        placeholder="Target ID"
        className="font-mono sm:max-w-56"
        defaultValue={search.target ?? ''}
        onBlur={(event) => {
          const target = event.target.value.trim() || undefined
          if (target !== search.target) onChange({ target })
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
      />
    </>
  )
}

function Export({ orgId, search }: { orgId: string; search: AuditSearch }) {
  const range = useTimeRange()
  const download = useAction({
    run: (format: ExportFormat) => fetchAuditExport(orgId, { search, range, format }),
    refresh: [],
    onDone: ({ file, name }) => saveFile(file, name),
  })
  return (
    <ExportPopover busy={download.isPending} onExport={download.mutate}>
      All entries that match the filters and the time range, newest first.
    </ExportPopover>
  )
}

const columnsFor = (
  names: ActorNames,
  onFilter: (changes: AuditSearch) => void,
): Column<AuditEntry>[] => [
  { key: 'time', label: 'Time', ownLine: false, cell: (entry) => <Ago at={entry.created_at} /> },
  {
    key: 'action',
    label: 'Action',
    cell: ({ action }) => <span title={action}>{actionName(action)}</span>,
  },
  {
    key: 'actor',
    label: 'Actor',
    cell: (entry) => <Actor actor={entry.actor} names={names} />,
  },
  {
    key: 'target',
    label: 'Target',
    cell: ({ target }) => (
      <>
        <TargetName target={target} />
        <button
          type="button"
          title="Show only this target"
          className="block cursor-pointer text-left font-mono text-xs text-ink-faint [overflow-wrap:anywhere] hover:underline"
          onClick={() => onFilter({ target: target.id })}
        >
          {names.get(target.id) ?? target.id}
        </button>
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

function TargetName({ target: { type, id } }: { target: AuditEntry['target'] }) {
  const team = useActiveTeams(useOrgId()).data?.find((one) => one.id === id)
  if (type === 'agent') return <AgentLink agentId={id} />
  return team?.name ?? actionName(type)
}

const CHANGES_MAX = 4

function Changes({ entry }: { entry: AuditEntry }) {
  const changes = Object.entries(entry.changes)
  if (changes.length === 0) return <span className="text-ink-faint">–</span>
  const more = changes.length - CHANGES_MAX
  return (
    <ul className="grid gap-0.5 text-xs">
      {changes.slice(0, CHANGES_MAX).map(([field, { from, to }]) => (
        <li key={field} className="break-words">
          <span className="text-ink-faint">{actionName(field)}:</span> {changeText(from, to)}
        </li>
      ))}
      {more > 0 ? <li className="text-ink-faint">and {more} more</li> : null}
    </ul>
  )
}

/** Some values are not recorded, such as texts that may name people. */
function changeText(from: unknown, to: unknown): string {
  const isUnrecorded = (from ?? to ?? null) === null
  return isUnrecorded ? 'changed' : `${truncate(from)} → ${truncate(to)}`
}

const SHOWN_CHARACTERS_MAX = 60

function truncate(value: unknown): string {
  if (value === undefined || value === null) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX - 1)}…` : text
}

const KINDS = { user: 'User', api_key: 'API key', system: 'System' } as const

function Actor({ actor, names }: { actor: AuditEntry['actor']; names: ActorNames }) {
  const name = names.get(actor.id)
  return (
    <>
      <span className="[overflow-wrap:anywhere]">{name ?? KINDS[actor.type]}</span>
      {name === undefined && actor.type !== 'system' ? (
        <p className="max-w-40 truncate font-mono text-xs text-ink-faint" title={actor.id}>
          {actor.id}
        </p>
      ) : null}
      {actor.impersonated_by === null ? null : (
        <p className="text-xs text-warn">
          Impersonated by {names.get(actor.impersonated_by) ?? actor.impersonated_by}
        </p>
      )}
    </>
  )
}
