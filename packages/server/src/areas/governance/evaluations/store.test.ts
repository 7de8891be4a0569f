import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { purgeMonths } from '../../../postgres/monthly-partitions.ts'
import { evaluationOf, judgedOf, NOW, selectExisting } from './evaluation.fixture.ts'
import { createEvaluationStore } from './store.ts'
import { toStoredEvaluation } from './stored-evaluation.ts'

let db: Db

beforeAll(async () => {
  db = (await testDatabase()).db
})

const at = (ms: number) => new Date(NOW.getTime() + ms)
const PAGE = { page: 1, perPage: 20 }

function stored(agentId: string, evaluationId: string, changes: Parameters<typeof judgedOf>[0]) {
  return toStoredEvaluation(judgedOf({ agentId, ...changes }), { evaluationId, traceId: null })
}

describe('evaluations', () => {
  it('are listed as they were inserted, newest first, optionally by verdict', async () => {
    const store = createEvaluationStore(db)
    const pass = { evaluation: evaluationOf(), policyId: null, policyVersion: null }
    const all = [
      stored('agent-list', 'pe-1', { evaluatedAt: at(0) }),
      stored('agent-list', 'pe-2', { ...pass, evaluatedAt: at(1), transactionId: 'txn-1' }),
      stored('agent-list', 'pe-3', { evaluatedAt: at(1) }),
    ] as const
    await store.insertAll(all, selectExisting)
    await store.insertAll([stored('agent-other', 'pe-4', {})], selectExisting)
    const [first, second, third] = all
    const of = (verdict?: 'fail' | 'pass' | 'warn') => ({ agentId: 'agent-list', verdict })
    expect(await store.list(of(), PAGE)).toEqual({
      ...PAGE,
      items: [second, third, first],
      total: 3,
    })
    const failed = await store.list(of('fail'), { page: 2, perPage: 1 })
    expect(failed).toMatchObject({ items: [{ evaluationId: 'pe-1' }], total: 2 })
    expect(await store.list(of('pass'), PAGE)).toEqual({ ...PAGE, items: [second], total: 1 })
    expect(await store.list(of('warn'), PAGE)).toEqual({ ...PAGE, items: [], total: 0 })
  })

  it('cannot be changed, and are deleted only by retention', async () => {
    const store = createEvaluationStore(db)
    await store.insertAll([stored('agent-old', 'pe-old', { evaluatedAt: at(-5) })], selectExisting)
    await store.insertSightings([{ agentId: 'agent-old', tool: 'x', at: NOW }])
    for (const table of ['policy_evaluation', 'policy_first_seen']) {
      const rows = sql`delete from ${sql.table(table)}`
      await expect(rows.execute(db)).rejects.toThrow()
      await expect(sql`truncate ${sql.table(table)}`.execute(db)).rejects.toThrow()
    }
    await expect(sql`update policy_evaluation set verdict = 'pass'`.execute(db)).rejects.toThrow()
    const tables = [{ name: 'policy_evaluation', key: 'evaluated_at', holds: 'time' } as const]
    expect(await purgeMonths(db, tables, at(-4))).toBe(1)
    expect((await store.list({ agentId: 'agent-old', verdict: undefined }, PAGE)).total).toBe(0)
  })
})

describe('first sightings', () => {
  it('never change, and only new ones are returned', async () => {
    const store = createEvaluationStore(db)
    const seen = (tool: string, ms: number) => ({ agentId: 'agent-seen', tool, at: at(ms) })
    expect(await store.insertSightings([seen('b', 1), seen('a', 1)])).toHaveLength(2)
    expect(await store.insertSightings([seen('a', 0), seen('c', 2)])).toEqual([seen('c', 2)])
    const pairs = [
      ...['a', 'c', 'd'].map((tool) => ({ agentId: 'agent-seen', tool })),
      { agentId: 'agent-unseen', tool: 'a' },
    ]
    const found = await store.findSightings(pairs)
    expect(found.sort((x, y) => (x.tool < y.tool ? -1 : 1))).toEqual([seen('a', 1), seen('c', 2)])
  })
})

describe('violation events', () => {
  const violation = (ms: number, toolsHash = 'h') => ({
    agentId: 'agent-violating',
    policyVersion: 1,
    toolsHash,
    at: at(ms),
  })
  const claim = (...all: ReturnType<typeof violation>[]) =>
    createEvaluationStore(db).claimViolationEvents(all, 60_000)

  it('can be claimed again only after the interval', async () => {
    expect(await claim(violation(0), violation(0, 'other'))).toHaveLength(2)
    expect(await claim(violation(59_999))).toEqual([])
    expect(await claim(violation(60_000))).toEqual([violation(60_000)])
    expect(await claim(violation(60_001))).toEqual([])
  })

  it('are claimed by one of two concurrent callers', async () => {
    const claimed = await Promise.all([claim(violation(0, 'race')), claim(violation(0, 'race'))])
    expect(claimed.flat()).toHaveLength(1)
  })
})

describe('erasure', () => {
  it('deletes every row of the agent', async () => {
    const store = createEvaluationStore(db)
    const agentId = 'agent-gone'
    await store.insertAll([stored(agentId, 'pe-gone', {})], selectExisting)
    await store.insertSightings([{ agentId, tool: 'x', at: NOW }])
    await store.claimViolationEvents(
      [{ agentId, policyVersion: 1, toolsHash: 'h', at: NOW }],
      60_000,
    )
    await transact(db, (tx) => createEvaluationStore(tx).deleteOfAgent(toAgentId(agentId)))
    for (const table of ['policy_evaluation', 'policy_first_seen', 'policy_violation_told']) {
      const left = await sql`select from ${sql.table(table)} where agent_id = ${agentId}`.execute(
        db,
      )
      expect(left.rows).toHaveLength(0)
    }
  })
})
