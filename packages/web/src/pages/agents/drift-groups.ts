import type { Answer } from '@touchstone/sdk'
import type { ChartBucket, ChartSeries } from '../../ui/chart/buckets.ts'
import { sentenceCase } from '../../ui/marks.tsx'

export type DriftAlert = Answer<'GET', '/v1/agents/{agent_id}/drift'>['alerts'][number]

export type DriftGroup = {
  title: string
  alerts: readonly DriftAlert[]
  openIds: readonly string[]
}

const DAY_MS = 86_400_000

function titleOf({ kind, drift_direction: direction }: DriftAlert): string {
  if (direction !== 'unknown') return sentenceCase(direction)
  return kind === 'trace' ? 'Trace drift' : 'Integrity drift'
}

/** Alerts about the same change of behaviour, in the order of their newest alert. */
export function groupAlerts(newestFirst: readonly DriftAlert[]): DriftGroup[] {
  const groups = new Map<string, DriftAlert[]>()
  for (const alert of newestFirst) {
    const title = titleOf(alert)
    groups.set(title, [...(groups.get(title) ?? []), alert])
  }
  return [...groups].map(([title, alerts]) => ({
    title,
    alerts,
    openIds: alerts.flatMap(({ status, alert_id: id }) => (status === 'open' ? [id] : [])),
  }))
}

/** The alerts of each UTC day from the oldest to today, at least two weeks. */
export function alertsByDay(
  alerts: readonly DriftAlert[],
  now: Date,
): { buckets: ChartBucket[]; series: ChartSeries[] } {
  const dayOf = (at: number) => Math.floor(at / DAY_MS)
  const today = dayOf(now.getTime())
  const days = alerts.map(({ detected_at: at }) => dayOf(Date.parse(at)))
  const first = Math.min(today - 13, ...days)
  const buckets = Array.from({ length: today - first + 1 }, (_, place) => ({
    start: new Date((first + place) * DAY_MS),
    lengthMs: DAY_MS,
  }))
  const countsOf = (status: DriftAlert['status']) => {
    const counts = buckets.map(() => 0)
    for (const [at, alert] of alerts.entries()) {
      const place = (days[at] ?? first) - first
      if (alert.status === status) counts[place] = (counts[place] ?? 0) + 1
    }
    return counts
  }
  return {
    buckets,
    series: [
      {
        key: 'resolved',
        label: 'Resolved',
        colour: 'var(--chart-ground)',
        values: countsOf('resolved'),
      },
      { key: 'open', label: 'Open', colour: 'var(--chart-warn)', values: countsOf('open') },
    ],
  }
}
