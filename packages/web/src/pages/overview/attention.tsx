import type { ReactNode } from 'react'
import { AgentLink } from '../../names/agent-link.tsx'
import { labelOf, type TimeRange } from '../../range/time-range.ts'
import { classNames } from '../../ui/class-names.ts'
import { State } from '../../ui/marks.tsx'
import { messageOf, Skeleton } from '../../ui/states.tsx'
import { useStandings } from '../agents/use-standings.ts'
import { useContained } from './queries.ts'

const LINES_MAX = 3

/** Three counts in one row; a zero is shown in a muted colour. */
export function Attention({ orgId, range }: { orgId: string; range: TimeRange }) {
  const worst = (finding: 'violations' | 'drift_alerts') =>
    ({ with: finding, sort: finding, per_page: LINES_MAX }) as const
  const violations = useStandings(orgId, range, worst('violations'))
  const drift = useStandings(orgId, range, worst('drift_alerts'))
  const contained = useContained(orgId)
  const isLoading = violations.isPending || drift.isPending || contained.isPending
  return (
    <section
      aria-label="Needs attention"
      data-loading={isLoading ? '' : undefined}
      className="grid overflow-hidden rounded-card border border-line bg-surface shadow-soft sm:grid-cols-3"
    >
      <Tile
        label={`Violations, ${typeof range === 'string' ? labelOf(range).toLowerCase() : 'in this time range'}`}
        count={violations.data?.totals.violations}
        error={violations.error}
      >
        {violations.data?.agents.map((agent) => (
          <Line key={agent.agent_id} agentId={agent.agent_id} to="violations">
            {agent.violations}
          </Line>
        ))}
      </Tile>
      <Tile label="Open drift alerts" count={drift.data?.totals.drift_alerts} error={drift.error}>
        {drift.data?.agents.map((agent) => (
          <Line key={agent.agent_id} agentId={agent.agent_id} to="drift">
            {agent.drift_alerts}
          </Line>
        ))}
      </Tile>
      <Tile
        label="Paused or killed agents"
        count={contained.isPending ? undefined : contained.total}
        error={contained.error}
      >
        {contained.agents.slice(0, LINES_MAX).map((agent) => (
          <Line key={agent.agent_id} agentId={agent.agent_id} to="control">
            <State state={agent.status} />
          </Line>
        ))}
      </Tile>
    </section>
  )
}

type TileProps = {
  label: string
  count: number | undefined
  error: unknown
  children: ReactNode
}

function Tile({ label, count, error, children }: TileProps) {
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
