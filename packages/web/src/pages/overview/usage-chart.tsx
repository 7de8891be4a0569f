import { useState } from 'react'
import { INTERVAL_MS, type Period, type TimeRange } from '../../range/time-range.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { joinBuckets } from '../../ui/chart/buckets.ts'
import { TimeChart } from '../../ui/chart/time-chart.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { type OrgUsage, usePeriodUsage } from './period-queries.ts'

const BARS_MAX = 60

type Bucket = OrgUsage['buckets'][number]
type Unit = 'tokens' | 'turns'

const SERIES: Record<
  Unit,
  { key: string; label: string; colour: string; of: (b: Bucket) => number }[]
> = {
  tokens: [
    {
      key: 'input',
      label: 'Input',
      colour: 'var(--chart-ground)',
      of: ({ input_tokens: input, cached_tokens: cached }) => input - cached,
    },
    {
      key: 'cached',
      label: 'Cached input',
      colour: 'var(--info)',
      of: ({ cached_tokens: cached }) => cached,
    },
    {
      key: 'output',
      label: 'Output',
      colour: 'var(--accent)',
      of: ({ output_tokens: output }) => output,
    },
  ],
  turns: [
    { key: 'turns', label: 'Turns', colour: 'var(--chart-ground)', of: ({ turns }) => turns },
  ],
}

const UNITS = [
  { value: 'tokens', label: 'Tokens' },
  { value: 'turns', label: 'Turns' },
] as const

/** Turns and tokens that went through connections to model providers. */
export function UsageChart({ orgId, range }: { orgId: string; range: TimeRange }) {
  const usage = usePeriodUsage(orgId, range)
  const [unit, setUnit] = useState<Unit>('tokens')
  return (
    <Card
      title="Model usage"
      note="Through the model gateway"
      actions={<Segments label="Unit" value={unit} options={UNITS} onChange={setUnit} />}
    >
      <Loaded query={usage}>
        {({ period, now }) =>
          now.length === 0 ? (
            <NoUsage />
          ) : (
            <TimeChart
              key={unit}
              label={unit === 'tokens' ? 'Tokens' : 'Turns'}
              mark="bars"
              {...usageSeries(period, now, unit)}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

function NoUsage() {
  const orgId = useOrgId()
  return (
    <Empty
      title="No turns in this time range"
      action={
        <TextLink to="/o/$orgId/connect" params={{ orgId }} className="text-sm">
          Connect an agent
        </TextLink>
      }
    >
      Turns and tokens are counted for agents that call their model through a connection.
    </Empty>
  )
}

/** The service leaves out hours and days without a turn; a chart shows them empty. */
function usageSeries({ interval, from, to }: Period, found: readonly Bucket[], unit: Unit) {
  const lengthMs = INTERVAL_MS[interval]
  const first = Math.floor(from.getTime() / lengthMs) * lengthMs
  const steps = Math.ceil((to.getTime() - first) / lengthMs)
  const buckets = Array.from({ length: steps }, (_, at) => ({
    start: new Date(first + at * lengthMs),
    lengthMs,
  }))
  const byStart = new Map(found.map((bucket) => [Date.parse(bucket.start), bucket]))
  const series = SERIES[unit].map(({ of, ...one }) => ({
    ...one,
    values: buckets.map(({ start }) => {
      const bucket = byStart.get(start.getTime())
      return bucket === undefined ? 0 : of(bucket)
    }),
  }))
  return joinBuckets(buckets, series, BARS_MAX)
}
