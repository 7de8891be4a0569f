import { useNavigate } from '@tanstack/react-router'
import type { TimeRange } from '../../range/time-range.ts'
import { INTERVAL_MS } from '../../range/time-range.ts'
import { Card } from '../../ui/card.tsx'
import { type ChartBucket, joinBuckets } from '../../ui/chart/buckets.ts'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type DecisionStats, usePeriodStats } from '../decisions/period-stats.ts'
import type { DecisionWord } from '../decisions/search.ts'
import { formatMs } from './figures.tsx'

const BARS_MAX = 60

/** From below to above: the many that are allowed are the ground that the others stand on. */
const OUTCOMES: readonly { key: DecisionWord; label: string; colour: string }[] = [
  { key: 'allow', label: 'Allowed', colour: 'var(--chart-ground)' },
  { key: 'warn', label: 'Warning', colour: 'var(--info)' },
  { key: 'escalate', label: 'Escalated', colour: 'var(--chart-warn)' },
  { key: 'block', label: 'Blocked', colour: 'var(--bad)' },
]

type ChartProps = { orgId: string; range: TimeRange }

/** Decisions by outcome over time. A bar leads to its decisions. */
export function OutcomeChart({ orgId, range }: ChartProps) {
  const stats = usePeriodStats(orgId, range)
  const navigate = useNavigate()
  const open = ({ start, lengthMs }: ChartBucket) =>
    void navigate({
      to: '/o/$orgId/decisions',
      params: { orgId },
      search: {
        from: start.toISOString(),
        to: new Date(start.getTime() + lengthMs).toISOString(),
      },
    })
  return (
    <Card title="Decisions by outcome">
      <Loaded query={stats}>
        {({ now }) => (
          <TimeChart
            label="Decisions by outcome"
            mark="bars"
            {...joinBuckets(
              bucketsOf(now),
              OUTCOMES.map((outcome) => ({
                ...outcome,
                values: now.buckets.map(({ counts }) => counts[outcome.key] ?? 0),
              })),
              BARS_MAX,
            )}
            open={{ hint: 'Click to see the decisions', run: open }}
          />
        )}
      </Loaded>
    </Card>
  )
}

/** The time the gateway took to decide. */
export function LatencyChart({ orgId, range }: ChartProps) {
  const stats = usePeriodStats(orgId, range)
  return (
    <Card
      title="Time to decide"
      note="Half of all calls were decided within p50, 99 of 100 within p99"
    >
      <Loaded query={stats}>
        {({ now }) => (
          <TimeChart
            label="Time to decide"
            mark="lines"
            buckets={bucketsOf(now)}
            format={formatMs}
            series={(['p99', 'p50'] as const).map((key) => ({
              key,
              label: key,
              colour: key === 'p99' ? 'var(--accent)' : 'var(--chart-ground)',
              values: now.buckets.map(({ duration_ms: duration }) => duration[key]),
            }))}
          />
        )}
      </Loaded>
    </Card>
  )
}

function bucketsOf({ interval, buckets }: DecisionStats): ChartBucket[] {
  return buckets.map(({ start }) => ({
    start: new Date(start),
    lengthMs: INTERVAL_MS[interval],
  }))
}
