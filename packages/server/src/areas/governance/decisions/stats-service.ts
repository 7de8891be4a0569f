import type { Decision } from '@touchstone/protocol/policy'
import { type Clock, DAY_MS, HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { invalidField } from '../../../kernel/problem.ts'
import {
  addHistogram,
  emptyHistogram,
  type Grouping,
  INTERVAL_MS,
  type Interval,
  OTHER,
  percentile,
  startOf,
} from './counter.ts'
import { HOURS_KEPT_MS, MINUTES_KEPT_MS } from './counter-service.ts'
import {
  type CountsOf,
  createCounterStore,
  type KeyCounts,
  type StatsRange,
} from './counter-store.ts'
import { createHistory, type Plans } from './history-service.ts'

export type StatsDeps = { db: Db; clock: Clock; plans: Plans }

export type RangeQuery = { from: Date | undefined; to: Date | undefined; interval: Interval }

export type StatsQuery = RangeQuery & {
  groupBy: Grouping
  /** The decisions that are counted; all of them if undefined. */
  decisions: readonly Decision[] | undefined
}

export type Durations = { p50: number | null; p99: number | null }

export type StatsBucket = Durations & { start: Date; counts: Record<string, number> }

export type Stats = {
  interval: Interval
  buckets: StatsBucket[]
  totals: Record<string, number>
  durations: Durations
}

export type DecisionStats = ReturnType<typeof createDecisionStats>

const KEYS_MAX = 20
/** Agents beyond it are counted together. */
const AGENTS_MAX = 10_000
const BLOCKED: CountsOf = { grouping: 'agent', decisions: ['block'] }
const RANGE_DAYS_MAX = 400

/** The range of a query that has no `from`. */
const DEFAULT_MS: Record<Interval, number> = {
  minute: HOUR_MS,
  hour: DAY_MS,
  day: 30 * DAY_MS,
}

/** Statistics from counters only (spec: decisions §5). */
export function createDecisionStats({ db, clock, plans }: StatsDeps) {
  const store = createCounterStore(db)
  const history = createHistory(plans, clock)
  /** The whole intervals of a query that the plan shows. */
  const rangeOf = async (orgId: string, query: RangeQuery): Promise<StatsRange> => {
    const { interval } = query
    const { from, to } = boundsOf(query, clock.now())
    const since = await history.since(orgId)
    return {
      orgId,
      interval,
      from: since !== undefined && since > from ? endOf(interval, since) : from,
      to,
    }
  }
  return {
    /** The blocked calls of every agent that has any. */
    async blockedByAgent(orgId: string, query: RangeQuery) {
      const range = await rangeOf(orgId, query)
      const counts = await store.counts(range, BLOCKED, AGENTS_MAX)
      return { from: range.from, to: range.to, counts: new Map(counts.map(sumOf)) }
    },

    async read(orgId: string, query: StatsQuery): Promise<Stats> {
      const { interval, groupBy: grouping, decisions } = query
      const range = await rangeOf(orgId, query)
      const [counts, histograms] = await Promise.all([
        store.counts(range, { grouping, decisions }, KEYS_MAX),
        store.histograms(range),
      ])
      const buckets = emptyBuckets(range)
      const totals = fillCounts(buckets, counts)
      const whole = emptyHistogram()
      for (const [start, histogram] of histograms) {
        addHistogram(whole, histogram)
        const bucket = buckets.get(start)
        if (bucket === undefined) continue
        const { p50, p99 } = durationsOf(histogram)
        bucket.p50 = p50
        bucket.p99 = p99
      }
      return { interval, buckets: [...buckets.values()], totals, durations: durationsOf(whole) }
    },
  }
}

function durationsOf(histogram: readonly number[]): Durations {
  return { p50: percentile(histogram, 0.5), p99: percentile(histogram, 0.99) }
}

/** Whole intervals that contain the range. */
function boundsOf(query: RangeQuery, now: Date): { from: Date; to: Date } {
  const { interval } = query
  const to = query.to ?? now
  const from = query.from ?? later(to, -DEFAULT_MS[interval])
  if (from >= to) throw invalidField('from', 'must be earlier than to')
  // Without `to`, the range has grown since the request was sent.
  const graceMs = query.to === undefined ? MINUTE_MS : 0
  if (to.getTime() - from.getTime() > RANGE_DAYS_MAX * DAY_MS + graceMs) {
    throw invalidField('from', `must be at most ${RANGE_DAYS_MAX} days before to`)
  }
  if (interval === 'minute' && from < startOf('hour', later(now, -MINUTES_KEPT_MS))) {
    throw invalidField('from', 'must be in the last 48 hours for the interval minute')
  }
  if (interval === 'hour' && from < startOf('day', later(now, -HOURS_KEPT_MS))) {
    throw invalidField('from', 'must be in the last 90 days for the interval hour')
  }
  return { from: startOf(interval, from), to: endOf(interval, to) }
}

/** The first start of an interval that is not earlier. */
function endOf(interval: Interval, at: Date): Date {
  return startOf(interval, later(at, INTERVAL_MS[interval] - 1))
}

/** Puts the counts into their buckets, and returns their sums by key. */
function fillCounts(
  buckets: ReadonlyMap<number, StatsBucket>,
  counts: readonly KeyCounts[],
): Record<string, number> {
  const totals = noCounts()
  for (const { key, starts, counts: own } of counts) {
    const name = key ?? OTHER
    for (const [at, start] of starts.entries()) {
      const count = own[at] ?? 0
      const bucket = buckets.get(start * SECOND_MS)
      if (count === 0) continue
      if (bucket !== undefined) bucket.counts[name] = (bucket.counts[name] ?? 0) + count
      totals[name] = (totals[name] ?? 0) + count
    }
  }
  return totals
}

function sumOf({ key, counts }: KeyCounts): [name: string, sum: number] {
  return [key ?? OTHER, counts.reduce((sum, count) => sum + count, 0)]
}

/** Without a prototype, because a tool may have the name of one of its properties. */
function noCounts(): Record<string, number> {
  return Object.create(null)
}

function emptyBuckets({ interval, from, to }: StatsRange): Map<number, StatsBucket> {
  const buckets = new Map<number, StatsBucket>()
  for (let at = from.getTime(); at < to.getTime(); at += INTERVAL_MS[interval]) {
    buckets.set(at, { start: new Date(at), counts: noCounts(), p50: null, p99: null })
  }
  return buckets
}
