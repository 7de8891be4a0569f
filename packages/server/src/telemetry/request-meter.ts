import type { Counter, Registry } from 'prom-client'

export type Answered = { method: string; route: string | undefined; status: number }

const SECONDS_MAX = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const DURATION = 'touchstone_http_request_duration_seconds'

type Labels = Record<string, string | number>
type Value = { labels: Labels; value: number; metricName?: string }
type Timing = { route: string; counts: number[]; sum: number; count: number }

/**
 * Counts and times requests. With the counters of prom-client a cached read spends a tenth of its
 * time on being counted, so these are plain numbers, written as metrics when somebody looks.
 */
export function createRequestMeter(registry: Registry) {
  const answered = new Map<string, { labels: Labels; value: number }>()
  const timings = new Map<string, Timing>()
  publish(registry, {
    ...{ name: 'touchstone_http_requests_total', help: 'Requests answered.', type: 'counter' },
    values: () => [...answered.values()],
  })
  publish(registry, {
    ...{ name: DURATION, help: 'Time to answer.', type: 'histogram' },
    values: () => [...timings.values()].flatMap(toValues),
  })

  const timingOf = (route: string): Timing => {
    const timing = { route, counts: SECONDS_MAX.map(() => 0), sum: 0, count: 0 }
    timings.set(route, timing)
    return timing
  }

  return ({ method, route = 'unknown', status }: Answered, elapsedMs: number): void => {
    const key = `${method} ${status} ${route}`
    const known = answered.get(key)
    if (known === undefined) answered.set(key, { labels: { method, route, status }, value: 1 })
    else known.value += 1
    const timing = timings.get(route) ?? timingOf(route)
    const seconds = elapsedMs / 1000
    const bucket = SECONDS_MAX.findIndex((max) => seconds <= max)
    if (bucket >= 0) timing.counts[bucket] = (timing.counts[bucket] ?? 0) + 1
    timing.sum += seconds
    timing.count += 1
  }
}

/** Buckets are cumulative, and the last one holds all. */
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

type Described = { name: string; help: string; type: string; values(): Value[] }

/** A registry asks its metrics for no more than this, whatever its types say. */
function publish(registry: Registry, { values, ...described }: Described): void {
  const metric = { name: described.name, get: async () => ({ ...described, values: values() }) }
  registry.registerMetric(metric as unknown as Counter)
}
