import type { Counter, Registry } from 'prom-client'

export type Labels = Record<string, string | number>
export type Value = { labels: Labels; value: number; metricName?: string }
type Described = { name: string; help: string; type: string; values(): Value[] }

/** The cast is safe: a registry reads only these members of a metric, despite its wider type. */
export function publish(registry: Registry, { values, ...described }: Described): void {
  const metric = { name: described.name, get: async () => ({ ...described, values: values() }) }
  registry.registerMetric(metric as unknown as Counter)
}

/**
 * A counter for every request. With prom-client's counters a cached read spends a tenth of its
 * time on counting, so these are plain numbers, converted to metrics on scrape. Label values are
 * given in the order of the label names and must not contain line breaks.
 */
export function createTally<const Names extends readonly string[]>(
  registry: Registry,
  { labelNames, ...described }: { name: string; help: string; labelNames: Names },
): (...values: { [At in keyof Names]: string | number }) => void {
  const counts = new Map<string, { labels: Labels; value: number }>()
  publish(registry, { ...described, type: 'counter', values: () => [...counts.values()] })
  return (...values) => {
    const key = values.join('\n')
    const known = counts.get(key)
    if (known !== undefined) {
      known.value += 1
      return
    }
    const labels = Object.fromEntries(labelNames.map((name, at) => [name, values[at] ?? '']))
    counts.set(key, { labels, value: 1 })
  }
}
