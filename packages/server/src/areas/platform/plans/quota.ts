import { type Limit, type Meter, perMeter } from './catalogue.ts'

export type NoticeKind = 'warning' | 'exceeded'

/** Null if the amount is unlimited or 0 (spec: platform §2.6). */
export function usagePercent(used: number, included: Limit): number | null {
  if (included === null || included === 0) return null
  return Math.floor((100 * used) / included)
}

/**
 * The notices due at this level of use, mildest first, whether or not they were emitted before.
 * Not called for unlimited and metered meters, which have no quota.
 */
export function noticesDue(used: number, included: number): NoticeKind[] {
  if (used === 0) return []
  const due: NoticeKind[] = []
  // Integers only: 0.8 × included would round some limits the wrong way.
  if (5 * used >= 4 * included) due.push('warning')
  if (used > included) due.push('exceeded')
  return due
}

/** A calendar month in UTC; the end is exclusive. */
export type Period = { start: Date; end: Date }

export function periodOf(instant: Date): Period {
  const year = instant.getUTCFullYear()
  const month = instant.getUTCMonth()
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) }
}

/** The days of a period; `before` is exclusive. */
export function daysIn(period: Period): { from: string; before: string } {
  return { from: dayOf(period.start), before: dayOf(period.end) }
}

/** A UTC day as `YYYY-MM-DD`. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}

/** The last `count` days, today included, oldest first. */
export function lastDays(today: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) => dayOf(daysBefore(today, count - 1 - index)))
}

function daysBefore(instant: Date, days: number): Date {
  return new Date(
    Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth(), instant.getUTCDate() - days),
  )
}

/** The same day `months` months earlier, or that month's last day if it is shorter. */
export function monthsBefore(instant: Date, months: number): Date {
  const year = instant.getUTCFullYear()
  const month = instant.getUTCMonth() - months
  const dayLast = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(instant.getUTCDate(), dayLast)))
}

export function totalsOf(uses: readonly { meter: Meter; amount: number }[]): Record<Meter, number> {
  return perMeter((meter) =>
    uses.reduce((total, use) => (use.meter === meter ? total + use.amount : total), 0),
  )
}
