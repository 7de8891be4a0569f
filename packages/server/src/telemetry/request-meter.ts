import type { Registry } from 'prom-client'
import { createTally, publish, type Value } from './tally.ts'

export type Answered = { method: string; route: string | undefined; status: number }

const SECONDS_MAX = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DURATION = 'touchstone_http_request_duration_seconds'

type Timing = { route: string; counts: number[]; sum: number; count: number }

/** Counts and times requests in plain numbers, like `createTally`. */
export function createRequestMeter(registry: Registry) {
  const answered = createTally(registry, {
    name: 'touchstone_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
  })
  const timings = new Map<string, Timing>()
  publish(registry, {
    name: DURATION,
    help: 'Time to answer.',
    type: 'histogram',
    values: () => [...timings.values()].flatMap(toValues),
  })

  const timingOf = (route: string): Timing => {
    const timing = { route, counts: SECONDS_MAX.map(() => 0), sum: 0, count: 0 }
    timings.set(route, timing)
    return timing
  }

  return ({ method, route = 'unknown', status }: Answered, elapsedMs: number): void => {
    answered(method, route, status)
    const timing = timings.get(route) ?? timingOf(route)
    const seconds = elapsedMs / 1000
    const bucket = SECONDS_MAX.findIndex((max) => seconds <= max)
    if (bucket >= 0) timing.counts[bucket] = (timing.counts[bucket] ?? 0) + 1
    timing.sum += seconds
    timing.count += 1
  }
}

/** Buckets are cumulative; the last one counts all requests. */
function toValues({ route, counts, sum, count }: Timing): Value[] {
  let below = 0
  const buckets = SECONDS_MAX.map((le, place) => {
    below += counts[place] ?? 0
    return { labels: { le, route }, value: below, metricName: `${DURATION}_bucket` }
  })
  return [
    ...buckets,
    { labels: { le: '+Inf', route }, value: count, metricName: `${DURATION}_bucket` },
    { labels: { route }, value: sum, metricName: `${DURATION}_sum` },
    { labels: { route }, value: count, metricName: `${DURATION}_count` },
  ]
}
