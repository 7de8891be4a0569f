import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { Severity, State, sentenceCase } from '../../ui/marks.tsx'
import { messageOf, Skeleton } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import type { Agent } from '../agents/queries.ts'
import {
  RECENT_DAYS,
  useContained,
  useOpenDrift,
  usePendingEscalations,
  useRecentViolations,
  WATCHED_MAX,
} from './queries.ts'

type Props = { orgId: string; agents: readonly Agent[]; watched: readonly Agent[] }

/** Four counts in one row; a zero is shown in a muted colour. */
export function Attention({ orgId, agents, watched }: Props) {
  const ids = watched.map((agent) => agent.agent_id)
  const names = new Map(agents.map((agent) => [agent.agent_id, agent.name]))
  const escalations = usePendingEscalations(orgId)
  const drift = useOpenDrift(ids)
  const { violations, ...recent } = useRecentViolations(ids)
  const contained = useContained(orgId)
  return (
    <section aria-label="Needs attention" className="grid gap-3">
      <div className="grid overflow-hidden rounded-card border border-line bg-surface shadow-soft sm:grid-cols-2 lg:grid-cols-4">
        <Tile label="Pending approvals" count={escalations.data?.total} error={escalations.error}>
          {escalations.data?.escalations.slice(0, 3).map((item) => (
            <li
              key={item.escalation_id}
              className="flex min-w-0 items-center justify-between gap-3"
            >
              <Link
                to="/o/$orgId/approvals/$escalationId"
                params={{ orgId, escalationId: item.escalation_id }}
                className="max-w-[60%] shrink-0 truncate hover:underline"
              >
                {names.get(item.agent_id) ?? item.agent_id}
              </Link>
              <span className="min-w-0 truncate font-mono text-xs text-ink-faint" title={item.tool}>
                {item.tool}
              </span>
            </li>
          ))}
        </Tile>
        <Tile
          label={`Violations, last ${RECENT_DAYS} days`}
          count={recent.isPending ? undefined : violations.length}
          hasMore={recent.hasMore}
          error={recent.error}
        >
          {latestOfEach(violations, (item) => item.agentId).map((item) => (
            <Line
              key={item.checkpoint_id}
              orgId={orgId}
              agentId={item.agentId}
              names={names}
              to="violations"
            >
              <Ago at={item.detected_at} />
            </Line>
          ))}
        </Tile>
        <Tile
          label="Open drift alerts"
          count={drift.isPending ? undefined : drift.total}
          error={drift.error}
        >
          {latestOfEach(drift.alerts, (item) => item.agent_id).map((item) => (
            <Line
              key={item.alert_id}
              orgId={orgId}
              agentId={item.agent_id}
              names={names}
              to="drift"
            >
              <Severity severity={item.severity} />
            </Line>
          ))}
        </Tile>
        <Tile
          label="Paused or killed agents"
          count={contained.isPending ? undefined : contained.total}
          error={contained.error}
        >
          {contained.agents.slice(0, 3).map((agent) => (
            <Line
              key={agent.agent_id}
              orgId={orgId}
              agentId={agent.agent_id}
              names={names}
              to="control"
            >
              <State state={agent.status} />
            </Line>
          ))}
        </Tile>
      </div>
      {agents.length > WATCHED_MAX ? (
        <p className="text-xs text-ink-faint">
          Violations and drift alerts cover the {WATCHED_MAX} most recently active agents.
        </p>
      ) : null}
    </section>
  )
}

type TileProps = {
  label: string
  count: number | undefined
  hasMore?: boolean
  error: unknown
  children: ReactNode
}

function Tile({ label, count, hasMore = false, error, children }: TileProps) {
  return (
    <div className="min-w-0 border-b border-line px-5 py-4 last:border-b-0 sm:odd:border-r lg:border-r lg:border-b-0 lg:last:border-r-0">
      <h2 className="text-sm text-ink-soft">{label}</h2>
      {count === undefined && error === null ? <Skeleton className="my-2 h-8 w-10" /> : null}
      {error === null ? null : <p className="text-sm text-bad">{messageOf(error)}</p>}
      {count === undefined ? null : (
        <p
          className={classNames(
            'font-serif text-3xl font-semibold tabular',
            count === 0 ? 'text-ink-faint' : 'text-bad',
          )}
        >
          {count}
          {hasMore ? '+' : ''}
        </p>
      )}
      <ul className="mt-1 grid grid-cols-1 gap-1 text-sm empty:hidden">{children}</ul>
    </div>
  )
}

type LineProps = {
  orgId: string
  agentId: string
  names: ReadonlyMap<string, string>
  to: 'violations' | 'drift' | 'control'
  children: ReactNode
}

const TARGETS = {
  violations: '/o/$orgId/agents/$agentId/violations',
  drift: '/o/$orgId/agents/$agentId/drift',
  control: '/o/$orgId/agents/$agentId/control',
} as const

function Line({ orgId, agentId, names, to, children }: LineProps) {
  return (
    <li className="flex min-w-0 items-center justify-between gap-3">
      <Link
        to={TARGETS[to]}
        params={{ orgId, agentId }}
        className="min-w-0 truncate hover:underline"
      >
        {names.get(agentId) ?? sentenceCase(agentId)}
      </Link>
      <span className="shrink-0 text-xs text-ink-faint">{children}</span>
    </li>
  )
}

/** The latest item per agent, so that one agent cannot fill all three lines. */
function latestOfEach<T>(newestFirst: readonly T[], agentOf: (item: T) => string): T[] {
  const seen = new Map<string, T>()
  for (const item of newestFirst) if (!seen.has(agentOf(item))) seen.set(agentOf(item), item)
  return [...seen.values()].slice(0, 3)
}
