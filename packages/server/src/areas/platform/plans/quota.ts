import { type Limit, type Meter, perMeter } from './catalogue.ts'

export type NoticeKind = 'warning' | 'exceeded'

/** 04 §2.6: null when there is nothing to be a percentage of. */
export function usagePercent(used: number, included: Limit): number | null {
  if (included === null || included === 0) return null
  return Math.floor((100 * used) / included)
}

/**
 * What is due at this level of use, mildest first; whether it was given already is not known here.
 * Unlimited and metered meters have no quota, so nobody asks for them.
 */
export function noticesDue(used: number, included: number): NoticeKind[] {
  if (used === 0) return []
  const due: NoticeKind[] = []
  // Integers only: 0.8 × included would round some limits the wrong way.
  if (5 * used >= 4 * included) due.push('warning')
  if (used > included) due.push('exceeded')
  return due
}

/** A calendar month in UTC; the end is the first instant that no longer belongs to it. */
export type Period = { start: Date; end: Date }

export function periodOf(instant: Date): Period {
  const year = instant.getUTCFullYear()
  const month = instant.getUTCMonth()
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) }
}

/** The days of a period, from the first on and before the other. */
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

/** The same day so many months ago, or that month's last day where it is shorter. */
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
