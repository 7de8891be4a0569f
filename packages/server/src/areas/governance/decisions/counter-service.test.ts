import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId, toOrgId } from '../../../kernel/ids.ts'
import type { Grouping, Interval } from './counter.ts'
import { createCounters } from './counter-service.ts'
import { createCounterStore } from './counter-store.ts'
import { createTestLedger, decisionOf } from './decisions.fixture.ts'

let db: Db
let clock: TestClock
beforeAll(async () => {
  db = (await testDatabase()).db
  clock = testClock()
})

const counters = () => createCounters({ db, clock, retentionDays: 400 })

const totals = async (orgId: string, grouping: Grouping, interval: Interval = 'day') => {
  const range = { orgId, interval, from: new Date(0), to: new Date(clock.nowMs() + DAY_MS) }
  const of = { grouping, decisions: undefined }
  const sums: Record<string, number> = {}
  for (const { key, counts } of await createCounterStore(db).counts(range, of, 20)) {
    for (const count of counts) sums[key ?? 'other'] = (sums[key ?? 'other'] ?? 0) + count
  }
  return sums
}

const record = async (orgId: string, ...overs: Parameters<typeof decisionOf>[0][]) => {
  const { ledger } = createTestLedger(db, clock)
  const made = overs.map((over) => decisionOf({ orgId, decidedAt: clock.now(), ...over }))
  await Promise.allSettled(made.map((one) => ledger.record(one)))
}

describe('the counters of decisions', () => {
  it('count with the decisions, before and after they are folded', async () => {
    const orgId = `org-${randomUUID()}`
    const { fold } = counters()
    await record(orgId, {}, { tool: 'mail' }, { agentId: 'agent-2', source: 'hook' })
    const before = await Promise.all(
      (['decision', 'tool', 'agent', 'source'] as const).map((by) => totals(orgId, by)),
    )
    expect(before).toEqual([
      { allow: 3 },
      { refund: 2, mail: 1 },
      { 'agent-1': 2, 'agent-2': 1 },
      { api: 2, hook: 1 },
    ])
    await Promise.all([fold(), fold()])
    const { rows } = await sql`select * from decision_delta`.execute(db)
    expect(rows).toEqual([])
    await record(orgId, { decision: 'block' })
    expect(await totals(orgId, 'decision')).toEqual({ allow: 3, block: 1 })
    expect(await totals(orgId, 'tool', 'minute')).toEqual({ refund: 3, mail: 1 })
    await fold()
    expect(await totals(orgId, 'tool', 'hour')).toEqual({ refund: 3, mail: 1 })
    const range = { orgId, interval: 'day', from: new Date(0), to: clock.now() } as const
    const [histogram] = (await createCounterStore(db).histograms(range)).values()
    expect(histogram?.reduce((sum, count) => sum + count, 0)).toBe(4)
  })

  it('do not count a decision about an erased agent', async () => {
    const orgId = `org-${randomUUID()}`
    await record(orgId, {}, { agentId: 'erased-1' })
    expect(await totals(orgId, 'agent')).toEqual({ 'agent-1': 1 })
  })

  it('keep the most frequent keys, and the sum of all others', async () => {
    const orgId = `org-${randomUUID()}`
    const tools = Array.from({ length: 30 }, (_, n) => ({ tool: `tool-${n}` }))
    await record(orgId, ...tools, ...tools.slice(0, 20))
    const found = await totals(orgId, 'tool')
    expect(Object.keys(found)).toHaveLength(21)
    expect(found).toMatchObject({ 'tool-0': 2, 'tool-19': 2, other: 10 })
  })

  it('count a tool that is named other with the rest, however frequent it is', async () => {
    const orgId = `org-${randomUUID()}`
    const { fold } = counters()
    const named = Array.from({ length: 3 }, () => ({ tool: 'other' }))
    const tools = Array.from({ length: 21 }, (_, n) => ({ tool: `tool-${n + 10}` }))
    await record(orgId, ...named, ...tools)
    const counted = await totals(orgId, 'tool')
    expect(Object.keys(counted)).toHaveLength(21)
    expect(counted).toMatchObject({ 'tool-10': 1, other: 4 })
    await fold()
    expect(await totals(orgId, 'tool')).toEqual(counted)
  })

  it('lose an erased agent in every sum, and an organisation as a whole', async () => {
    const orgId = `org-${randomUUID()}`
    const { fold, eraseAgent, eraseOrg } = counters()
    const [gone, kept] = [`agent-${randomUUID()}`, `agent-${randomUUID()}`]
    const all = [{ agentId: gone, tool: 'own' }, { agentId: gone }, { agentId: kept }]
    await record(orgId, ...all)
    await fold()
    await record(orgId, ...all)
    await transact(db, (tx) => eraseAgent(tx, toAgentId(gone)))
    expect(await totals(orgId, 'decision', 'minute')).toEqual({ allow: 2 })
    expect(await totals(orgId, 'tool')).toEqual({ refund: 2 })
    expect(await totals(orgId, 'agent', 'hour')).toEqual({ [kept]: 2 })
    const left = await sql`select * from decision_count
      where agent_id = ${gone} or tool = 'own'`.execute(db)
    expect(left.rows).toEqual([])
    await transact(db, (tx) => eraseOrg(tx, toOrgId(orgId)))
    expect(await totals(orgId, 'decision')).toEqual({})
  })

  it('drop minutes after 48 hours, hours after 90 days, and days with the retention', async () => {
    const orgId = `org-${randomUUID()}`
    const { fold, purge } = counters()
    await record(orgId, {})
    await fold()
    const resolutions = async () => {
      await purge(clock.now())
      const { rows } = await sql<{ resolution: Interval }>`select distinct resolution
        from decision_count where org_id = ${orgId} order by 1`.execute(db)
      return rows.map(({ resolution }) => resolution)
    }
    expect(await resolutions()).toEqual(['day', 'hour', 'minute'])
    clock.advance(72 * HOUR_MS)
    expect(await resolutions()).toEqual(['day', 'hour'])
    clock.advance(89 * DAY_MS)
    expect(await resolutions()).toEqual(['day'])
    clock.advance(400 * DAY_MS)
    expect(await resolutions()).toEqual([])
    const { rows } = await sql`select * from decision_duration where org_id = ${orgId}`.execute(db)
    expect(rows).toEqual([])
  })
})
