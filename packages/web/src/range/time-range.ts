import { readerDates } from '../ui/reader-dates.ts'

export const PRESETS = ['1h', '24h', '7d', '30d'] as const
export type Preset = (typeof PRESETS)[number]

/** A time until now, or a fixed one. */
export type TimeRange = Preset | { from: string; to: string }

export type Bounds = { from: Date; to: Date }

/** The resolutions in which the service keeps counts. */
export type Interval = 'minute' | 'hour' | 'day'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const LENGTH_MS: Record<Preset, number> = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
}

export const INTERVAL_MS: Record<Interval, number> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
}

/** Longer ranges are refused by the service. */
const LENGTH_MS_MAX = 400 * DAY_MS

const SEPARATOR = '..'

/** The range in an address; undefined if there is none or it is not one. */
export function readTimeRange(text: unknown): TimeRange | undefined {
  if (typeof text !== 'string') return undefined
  const preset = PRESETS.find((one) => one === text)
  if (preset !== undefined) return preset
  const [from = '', to = ''] = text.split(SEPARATOR)
  const lengthMs = Date.parse(to) - Date.parse(from)
  return lengthMs > 0 && lengthMs <= LENGTH_MS_MAX ? { from, to } : undefined
}

export function writeTimeRange(range: TimeRange): string {
  return typeof range === 'string' ? range : `${range.from}${SEPARATOR}${range.to}`
}

export function boundsOf(range: TimeRange, now: Date): Bounds {
  if (typeof range !== 'string') return { from: new Date(range.from), to: new Date(range.to) }
  return { from: new Date(now.getTime() - LENGTH_MS[range]), to: now }
}

/** The counts that a range is shown in. */
export type Period = Bounds & { interval: Interval }

/** How far back counts of an interval are kept, with an hour to spare. */
const KEPT_MS = { minute: 47 * HOUR_MS, hour: 89 * DAY_MS }

/** The longest range that is shown in the interval. */
const SHOWN_MS_MAX = { minute: 2 * HOUR_MS, hour: 14 * DAY_MS }

/**
 * Whole intervals that end with the range, of the finest kind in which the range and the one before it
 * are kept. Both have the same number of them, so that their sums can be compared.
 */
export function periodOf(range: TimeRange, now: Date): Period {
  const { from, to } = boundsOf(range, now)
  const lengthMs = to.getTime() - from.getTime()
  const oldestMs = now.getTime() - from.getTime() + lengthMs
  const isKept = (interval: 'minute' | 'hour') =>
    lengthMs <= SHOWN_MS_MAX[interval] && oldestMs <= KEPT_MS[interval]
  const interval = isKept('minute') ? 'minute' : isKept('hour') ? 'hour' : 'day'
  const stepMs = INTERVAL_MS[interval]
  const end = Math.ceil(to.getTime() / stepMs) * stepMs
  const steps = Math.max(1, Math.round(lengthMs / stepMs))
  return { interval, from: new Date(end - steps * stepMs), to: new Date(end) }
}

/** The period of the same length that ends where this one begins. */
export function periodBefore({ interval, from, to }: Period): Period {
  return { interval, from: new Date(2 * from.getTime() - to.getTime()), to: from }
}

export const SHORT_LABELS: Record<Preset, string> = {
  '1h': '1 h',
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
}

const LABELS: Record<Preset, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

const BEFORE: Record<Preset, string> = {
  '1h': 'the previous hour',
  '24h': 'the previous 24 hours',
  '7d': 'the previous 7 days',
  '30d': 'the previous 30 days',
}

const time = readerDates({ dateStyle: 'medium', timeStyle: 'short' })

export function labelOf(range: TimeRange): string {
  if (typeof range === 'string') return LABELS[range]
  return time.formatRange(new Date(range.from), new Date(range.to))
}

/** Names the period that a range is compared with. */
export function labelOfBefore(range: TimeRange): string {
  return typeof range === 'string' ? BEFORE[range] : 'the period before'
}
