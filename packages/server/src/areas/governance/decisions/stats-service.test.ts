import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { GROUPINGS, type Grouping, INTERVALS, type Interval, startOf } from './counter.ts'
import { createCounters } from './counter-service.ts'
import type { DecisionRecord } from './decision-record.ts'
import { createTestLedger, decisionOf } from './decisions.fixture.ts'
import { createDecisionStats, type StatsQuery } from './stats-service.ts'
import { createDecisionStore } from './store.ts'

let db: Db
let clock: TestClock
beforeAll(async () => {
  db = (await testDatabase()).db
  clock = testClock()
})

const statsOf = (historyDays: number | null = null) =>
  createDecisionStats({ db, clock, plans: { historyDays: async () => historyDays } })

const query = (over: Partial<StatsQuery> = {}): StatsQuery => ({
  from: undefined,
  to: undefined,
  interval: 'hour',
  groupBy: 'decision',
  decisions: undefined,
  ...over,
})

/** A decision, and whether the counters are folded and purged after it. */
const step = fc.record({
  over: fc.record({
    agentId: fc.constantFrom('agent-1', 'agent-2', 'agent-3'),
    tool: fc.constantFrom('mail', 'shell', 'search', 'other'),
    decision: fc.constantFrom('allow' as const, 'warn' as const, 'block' as const),
    source: fc.constantFrom('api' as const, 'hook' as const),
    durationMs: fc.double({ min: 0, max: 100, noNaN: true }),
  }),
  ageMs: fc.integer({ min: 0, max: 100 * DAY_MS }),
  isFolded: fc.boolean(),
})

/** Counts the decisions themselves. */
async function counted(orgId: string, interval: Interval, by: keyof DecisionRecord, from: Date) {
  const found = await createDecisionStore(db).list(
    { orgId, from },
    { before: undefined, limit: 1000 },
  )
  const counts: Record<string, Record<string, number>> = {}
  for (const one of found) {
    const start = startOf(interval, one.decidedAt).toISOString()
    const key = String(one[by])
    const bucket = counts[start] ?? {}
    counts[start] = bucket
    bucket[key] = (bucket[key] ?? 0) + 1
  }
  return counts
}

const COLUMNS = { decision: 'decision', tool: 'tool', agent: 'agentId', source: 'source' } as const
const RANGE_MS = { minute: 47 * HOUR_MS, hour: 89 * DAY_MS, day: 110 * DAY_MS }

type Step = { over: object; ageMs: number; isFolded: boolean }

/** Returns the new organisation of the decisions. */
async function recordAll(steps: readonly Step[]): Promise<string> {
  const orgId = `org-${randomUUID()}`
  const { ledger } = createTestLedger(db, clock)
  const { fold, purge } = createCounters({ db, clock, retentionDays: 400 })
  for (const { over, ageMs, isFolded } of steps) {
    await ledger.record(decisionOf({ orgId, decidedAt: later(clock.now(), -ageMs), ...over }))
    if (!isFolded) continue
    await fold()
    await purge(clock.now())
  }
  return orgId
}

async function compare(orgId: string, interval: Interval, groupBy: Grouping): Promise<void> {
  const from = startOf('hour', later(clock.now(), -RANGE_MS[interval]))
  const bound = startOf(interval, from)
  // The clock stands still, so the bucket of now needs a later end.
  const to = later(clock.now(), 1)
  const { buckets } = await statsOf().read(orgId, query({ interval, groupBy, from, to }))
  const found = Object.fromEntries(
    buckets
      .filter(({ counts }) => !isEmpty(counts))
      .map(({ start, counts }) => [start.toISOString(), counts]),
  )
  expect(found).toEqual(await counted(orgId, interval, COLUMNS[groupBy], bound))
  const agree = buckets.every(({ p50, counts }) => (p50 === null) === isEmpty(counts))
  expect(agree).toBe(true)
}

describe('statistics of decisions', () => {
  it('equal a count over the decisions, before and after folding and purging', async () => {
    const run = async (steps: Step[]) => {
      const orgId = await recordAll(steps)
      for (const interval of INTERVALS) {
        for (const groupBy of GROUPINGS) await compare(orgId, interval, groupBy)
      }
    }
    const steps = fc.array(step, { minLength: 1, maxLength: 25 })
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: 12 })
  })

  it('have a bucket for every interval, with percentiles', async () => {
    const orgId = `org-${randomUUID()}`
    const { ledger } = createTestLedger(db, clock)
    const durations = [1, 1, 1, 100]
    for (const durationMs of durations) {
      await ledger.record(decisionOf({ orgId, decidedAt: later(clock.now(), -1), durationMs }))
    }
    const { buckets, totals } = await statsOf().read(orgId, query({ interval: 'minute' }))
    expect(buckets).toHaveLength(60)
    expect(buckets[0]).toMatchObject({ counts: {}, p50: null, p99: null })
    const last = buckets.at(-1)
    expect(last?.counts).toEqual({ allow: 4 })
    expect(last?.p50).toBeCloseTo(1, 0)
    expect(last?.p99).toBeGreaterThan(88)
    expect(last?.p99).toBeLessThan(113)
    expect(totals).toEqual({ allow: 4 })
  })

  it('refuse ranges that are reversed, too long or no longer kept in that detail', async () => {
    const ago = (ms: number) => later(clock.now(), -ms)
    for (const bad of [
      query({ from: clock.now(), to: clock.now() }),
      query({ from: ago(HOUR_MS), to: ago(DAY_MS) }),
      query({ interval: 'day', from: ago(401 * DAY_MS) }),
      query({ interval: 'day', from: ago(400 * DAY_MS), to: later(clock.now(), 1) }),
      query({ interval: 'minute', from: ago(50 * HOUR_MS) }),
      query({ interval: 'hour', from: ago(92 * DAY_MS) }),
    ]) {
      await expect(statsOf().read('org-1', bad)).rejects.toMatchObject({ code: 'invalid_request' })
    }
    for (const good of [
      query({ interval: 'day', from: ago(400 * DAY_MS) }),
      query({ interval: 'minute', from: ago(48 * HOUR_MS) }),
      query({ interval: 'hour', from: ago(90 * DAY_MS), to: ago(80 * DAY_MS) }),
    ]) {
      expect((await statsOf().read('org-1', good)).buckets.length).toBeGreaterThan(100)
    }
  })

  it('begin where the history of the plan begins', async () => {
    const orgId = `org-${randomUUID()}`
    const { ledger } = createTestLedger(db, clock)
    for (const days of [3, 10]) {
      const decidedAt = later(clock.now(), -days * DAY_MS)
      await ledger.record(decisionOf({ orgId, decidedAt }))
    }
    const wanted = query({ interval: 'day', from: later(clock.now(), -20 * DAY_MS) })
    const hidden = await statsOf(7).read(orgId, wanted)
    expect(hidden.totals).toEqual({ allow: 1 })
    expect(hidden.buckets[0]?.start.getTime()).toBeGreaterThanOrEqual(clock.nowMs() - 7 * DAY_MS)
    expect((await statsOf().read(orgId, wanted)).totals).toEqual({ allow: 2 })
    const older = query({ interval: 'minute', to: later(clock.now(), -30 * MINUTE_MS) })
    expect((await statsOf(0).read(orgId, older)).buckets).toEqual([])
  })
})

function isEmpty(counts: object): boolean {
  return Object.keys(counts).length === 0
}
