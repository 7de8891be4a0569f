import type { ReactNode } from 'react'
import { AgentLink } from '../../names/agent-link.tsx'
import { labelOf, type TimeRange } from '../../range/time-range.ts'
import { classNames } from '../../ui/class-names.ts'
import { Severity, State } from '../../ui/marks.tsx'
import { messageOf, Skeleton } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import type { Agent } from '../agents/queries.ts'
import { useContained, useOpenDrift, useRecentViolations, WATCHED_MAX } from './queries.ts'

type Props = {
  orgId: string
  range: TimeRange
  agents: readonly Agent[]
  watched: readonly Agent[]
}

/** Three counts in one row; a zero is shown in a muted colour. */
export function Attention({ orgId, range, agents, watched }: Props) {
  const ids = watched.map((agent) => agent.agent_id)
  const drift = useOpenDrift(ids)
  const { violations, ...recent } = useRecentViolations(ids, range)
  const contained = useContained(orgId)
  return (
    <section aria-label="Needs attention" className="grid gap-3">
      <div className="grid overflow-hidden rounded-card border border-line bg-surface shadow-soft sm:grid-cols-3">
        <Tile
          label={`Violations, ${typeof range === 'string' ? labelOf(range).toLowerCase() : 'in this time range'}`}
          count={recent.isPending ? undefined : violations.length}
          hasMore={recent.hasMore}
          error={recent.error}
        >
          {latestOfEach(violations, (item) => item.agentId).map((item) => (
            <Line key={item.checkpoint_id} agentId={item.agentId} to="violations">
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
            <Line key={item.alert_id} agentId={item.agent_id} to="drift">
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
            <Line key={agent.agent_id} agentId={agent.agent_id} to="control">
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
    <div className="min-w-0 border-line px-5 py-4 max-sm:border-b max-sm:last:border-b-0 sm:border-r sm:last:border-r-0">
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
  agentId: string
  to: 'violations' | 'drift' | 'control'
  children: ReactNode
}

function Line({ agentId, to, children }: LineProps) {
  return (
    <li className="flex min-w-0 items-center justify-between gap-3">
      <AgentLink agentId={agentId} tab={to} className="min-w-0 truncate" />
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
