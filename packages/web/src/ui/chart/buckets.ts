import { readerDates } from '../reader-dates.ts'

/** A step of time on the axis of a chart. */
export type ChartBucket = { start: Date; lengthMs: number }

export type ChartSeries = {
  key: string
  label: string
  /** A CSS colour. */
  colour: string
  /** One for each bucket; null where there was nothing to measure. */
  values: readonly (number | null)[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Days are those of UTC, in which the service counts them; shorter steps are in the reader's time zone. */
const day = readerDates({ month: 'short', day: 'numeric', timeZone: 'UTC' })
const localDay = readerDates({ month: 'short', day: 'numeric' })
const clock = readerDates({ hour: 'numeric', minute: '2-digit' })

const isDays = (lengthMs: number) => lengthMs >= DAY_MS

/** The label of a tick of the time axis; midnight is named by its day. */
export function tickLabel(at: Date, lengthMs: number): string {
  if (isDays(lengthMs)) return day.format(at)
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0
  return (isMidnight ? localDay : clock).format(at)
}

/** Names a bucket in full. */
export function bucketLabel({ start, lengthMs }: ChartBucket): string {
  if (isDays(lengthMs)) {
    const last = new Date(start.getTime() + lengthMs - DAY_MS)
    return day.formatRange(start, last)
  }
  const date = localDay.format(start)
  if (lengthMs < HOUR_MS) return `${date}, ${clock.format(start)}`
  return `${date}, ${clock.format(start)}–${clock.format(new Date(start.getTime() + lengthMs))}`
}

const GROUPS = [1, 2, 3, 4, 6, 12, 24, 48]

/**
 * Joins neighbouring buckets until there are at most `max`, and adds their values. The last group is
 * whole, because it has the latest values; the first may be shorter.
 */
export function joinBuckets(
  buckets: readonly ChartBucket[],
  series: readonly ChartSeries[],
  max: number,
): { buckets: readonly ChartBucket[]; series: readonly ChartSeries[] } {
  const size = GROUPS.find((one) => buckets.length / one <= max) ?? Math.ceil(buckets.length / max)
  if (size === 1) return { buckets, series }
  const short = buckets.length % size
  const starts = buckets.flatMap((_, at) => ((at - short) % size === 0 || at === 0 ? [at] : []))
  const rangeOf = (place: number) => [starts[place], starts[place + 1] ?? buckets.length] as const
  return {
    buckets: starts.map((_, place) => {
      const part = buckets.slice(...rangeOf(place))
      const lengthMs = part.reduce((sum, bucket) => sum + bucket.lengthMs, 0)
      return { start: part[0]?.start ?? new Date(0), lengthMs }
    }),
    series: series.map((one) => ({
      ...one,
      values: starts.map((_, place) => sumOf(one.values.slice(...rangeOf(place)))),
    })),
  }
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

/** The values of all series at a place, as a text for a screen reader. */
export function describeBucket(
  bucket: ChartBucket,
  series: readonly ChartSeries[],
  place: number,
  format: (value: number) => string,
): string {
  const values = series.map(({ label, values }) => {
    const value = values[place]
    return `${label} ${value === null || value === undefined ? 'none' : format(value)}`
  })
  return `${bucketLabel(bucket)}: ${values.join(', ')}`
}
