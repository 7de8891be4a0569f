import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type TimeRange, writeTimeRange } from '../../range/time-range.ts'
import { AssuranceMark } from '../../ui/assurance.tsx'
import { classNames } from '../../ui/class-names.ts'
import { GradeMark } from '../../ui/grade.tsx'
import { Change, State } from '../../ui/marks.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import type { AgentsSearch } from './search.ts'
import type { AgentStanding } from './use-standings.ts'

type Sort = NonNullable<AgentsSearch['sort']>

type StandingTableProps = {
  orgId: string
  range: TimeRange
  agents: readonly AgentStanding[]
  sort: Sort
  onSort: (sort: Sort) => void
}

/** Agents with their scores and what happened to them. A header sorts by its column. */
export function StandingTable({ orgId, range, agents, sort, onSort }: StandingTableProps) {
  const header = (key: Sort, label: string) => ({
    key,
    label,
    header: (
      <SortButton isCurrent={key === sort} onSort={() => onSort(key)}>
        {label}
      </SortButton>
    ),
    ...(key === sort && {
      sorted: key === 'name' ? ('ascending' as const) : ('descending' as const),
    }),
  })
  const columns: Column<AgentStanding>[] = [
    { ...header('name', 'Agent'), cell: (agent) => <Name orgId={orgId} agent={agent} /> },
    { ...header('score', 'Score'), cell: (agent) => <Rating agent={agent} /> },
    { key: 'weeks', label: '12 weeks', cell: ({ weeks }) => <Weeks weeks={weeks} /> },
    {
      ...header('trend', '30 days'),
      align: 'right',
      cell: ({ score, trend_30d: points }) => (score === null ? '–' : <Change points={points} />),
    },
    {
      ...header('blocked', 'Blocked'),
      align: 'right',
      cell: (agent) => (
        <Count count={agent.blocked}>
          <Link
            to="/o/$orgId/decisions"
            params={{ orgId }}
            search={{ agent_id: agent.agent_id, decision: ['block'], range: writeTimeRange(range) }}
            className="underline"
          >
            {agent.blocked}
            <span className="sr-only">
              {agent.blocked === 1 ? ' blocked call of ' : ' blocked calls of '}
              {agent.name}
            </span>
          </Link>
        </Count>
      ),
    },
    {
      ...header('violations', 'Violations'),
      align: 'right',
      cell: (agent) => (
        <Count count={agent.violations}>
          <Link
            to="/o/$orgId/agents/$agentId/violations"
            params={{ orgId, agentId: agent.agent_id }}
            search={{ range: writeTimeRange(range) }}
            className="underline"
          >
            {agent.violations}
            <span className="sr-only">
              {agent.violations === 1 ? ' violation of ' : ' violations of '}
              {agent.name}
            </span>
          </Link>
        </Count>
      ),
    },
    {
      ...header('drift_alerts', 'Drift'),
      align: 'right',
      cell: (agent) => (
        <Count count={agent.drift_alerts}>
          <Link
            to="/o/$orgId/agents/$agentId/drift"
            params={{ orgId, agentId: agent.agent_id }}
            className="underline"
          >
            {agent.drift_alerts}
            <span className="sr-only">
              {agent.drift_alerts === 1 ? ' drift alert of ' : ' drift alerts of '}
              {agent.name}
            </span>
          </Link>
        </Count>
      ),
    },
    { key: 'state', label: 'Status', cell: (agent) => <State state={agent.status} /> },
    { ...header('last_seen', 'Last seen'), cell: (agent) => <Ago at={agent.last_seen_at} /> },
  ]
  return (
    <Table caption="Agents" columns={columns} rows={agents} keyOf={(agent) => agent.agent_id} />
  )
}

type SortButtonProps = { isCurrent: boolean; onSort: () => void; children: ReactNode }

function SortButton({ isCurrent, onSort, children }: SortButtonProps) {
  return (
    <button
      type="button"
      onClick={onSort}
      className={classNames(
        'cursor-pointer font-medium whitespace-nowrap hover:text-ink hover:underline',
        isCurrent && 'text-ink underline',
      )}
    >
      {children}
    </button>
  )
}

function Name({ orgId, agent }: { orgId: string; agent: AgentStanding }) {
  return (
    <>
      <Link
        to="/o/$orgId/agents/$agentId"
        params={{ orgId, agentId: agent.agent_id }}
        className="font-medium hover:underline"
      >
        {agent.name}
      </Link>
      <p className="font-mono text-xs text-ink-faint [overflow-wrap:anywhere]">{agent.agent_id}</p>
    </>
  )
}

/** A score is never shown without how far it can be relied on. */
function Rating({ agent }: { agent: AgentStanding }) {
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <GradeMark grade={agent.grade} />
      <span className="min-w-8 text-right font-medium tabular">{agent.score ?? '–'}</span>
      <AssuranceMark level={agent.assurance} />
    </span>
  )
}

function Weeks({ weeks }: { weeks: readonly number[] }) {
  if (weeks.length < 2) return <span className="text-ink-faint">–</span>
  return (
    <Sparkline
      values={weeks}
      label={`Weekly score, from ${weeks[0]} to ${weeks.at(-1)}`}
      className="h-6 w-20"
    />
  )
}

/** A count that leads to what was counted; a zero leads nowhere. */
function Count({ count, children }: { count: number; children: ReactNode }) {
  return count === 0 ? <span className="text-ink-faint">0</span> : children
}
