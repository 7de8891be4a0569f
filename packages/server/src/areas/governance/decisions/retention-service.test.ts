import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId, toOrgId } from '../../../kernel/ids.ts'
import { createTestLedger, decisionOf } from './decisions.fixture.ts'
import { createDecisionRetention } from './retention-service.ts'

let db: Db
let clock: TestClock

beforeEach(async () => {
  db = (await testDatabase()).db
  clock = testClock()
})

const partitions = async (table: string): Promise<string[]> => {
  const found = await sql<{ name: string }>`select inhrelid::regclass::text as name
    from pg_inherits where inhparent = ${table}::regclass order by 1`.execute(db)
  return found.rows.map(({ name }) => name)
}

const count = async (table: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n
    from ${sql.table(table)}`.execute(db)
  return rows[0]?.n ?? 0
}

describe('the months of decisions', () => {
  it('exist before they are needed, however often they are prepared', async () => {
    const retention = createDecisionRetention({ db, clock, retentionDays: 400 })
    await Promise.all([retention.prepare(), retention.prepare()])
    await retention.prepare()
    const months = ['decision_2026_03', 'decision_2026_04', 'decision_2026_05']
    expect(await partitions('decision')).toEqual([...months, 'decision_default'])
  })

  it('exist for past months if they are prepared since an earlier time', async () => {
    const retention = createDecisionRetention({ db, clock, retentionDays: 400 })
    await retention.prepare()
    await retention.prepareSince(new Date('2025-12-31T12:00:00Z'))
    const months = ['2025_12', '2026_01', '2026_02', '2026_03', '2026_04', '2026_05']
    expect(await partitions('decision')).toEqual([
      ...months.map((month) => `decision_${month}`),
      'decision_default',
    ])
    const { ledger } = createTestLedger(db, clock)
    await ledger.record(decisionOf({ decidedAt: new Date('2026-01-10T12:00:00Z') }))
    expect(await count('decision_2026_01')).toBe(1)
  })

  it('take the decisions that came before them', async () => {
    const { ledger } = createTestLedger(db, clock)
    const { decisionId } = await ledger.record(decisionOf({ decidedAt: clock.now() }))
    expect(await count('decision_default')).toBe(1)
    const retention = createDecisionRetention({ db, clock, retentionDays: 400 })
    await retention.prepare()
    expect(await count('decision_default')).toBe(0)
    expect(await count('decision_2026_03')).toBe(1)
    expect(await count('decision_batch_2026_03')).toBe(1)
    const change = sql`update decision set client = 'other'
      where decision_id = ${decisionId.slice(4)}::uuid`
    await expect(change.execute(db)).rejects.toThrow('final')
  })

  it('are dropped whole once all of their days are older than the retention', async () => {
    const retention = createDecisionRetention({ db, clock, retentionDays: 30 })
    await retention.prepare()
    const { ledger } = createTestLedger(db, clock)
    await ledger.record(decisionOf({ decidedAt: clock.now() }))
    clock.advance(59 * DAY_MS)
    await retention.purge(clock.now())
    expect(await count('decision')).toBe(1)
    clock.advance(3 * DAY_MS)
    await retention.purge(clock.now())
    expect(await count('decision')).toBe(0)
    expect(await partitions('decision_batch')).not.toContain('decision_batch_2026_03')
    clock.advance(100 * DAY_MS)
    await retention.purge(clock.now())
    expect(await count('decision_kind')).toBe(0)
  })
})

describe('the rest partition of decisions', () => {
  it('loses its rows once their month is older than the retention, and keeps all others', async () => {
    const { ledger } = createTestLedger(db, clock)
    const times = ['2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '2026-02-10T12:00:00Z']
    for (const time of times) await ledger.record(decisionOf({ decidedAt: new Date(time) }))
    const retention = createDecisionRetention({ db, clock, retentionDays: 30 })
    clock.set('2026-03-02T12:00:00Z')
    expect(await retention.purge(clock.now())).toBe(2)
    expect(await count('decision_default')).toBe(2)
    expect(await count('decision_batch_default')).toBe(2)
    clock.set('2026-03-29T12:00:00Z')
    await retention.purge(clock.now())
    expect(await count('decision')).toBe(1)
    expect(await count('decision_batch')).toBe(1)
    clock.advance(100 * DAY_MS)
    await retention.purge(clock.now())
    expect(await count('decision')).toBe(0)
    expect(await count('decision_batch')).toBe(0)
  })

  it('takes decisions at a clock that is far ahead or behind until their month comes', async () => {
    const retention = createDecisionRetention({ db, clock, retentionDays: 400 })
    await retention.prepare()
    const { ledger } = createTestLedger(db, clock)
    const ids: string[] = []
    for (const time of ['2035-06-15T12:00:00Z', '2026-03-10T12:00:00Z', '2025-06-15T12:00:00Z']) {
      const { decisionId } = await ledger.record(decisionOf({ decidedAt: new Date(time) }))
      ids.push(decisionId.slice(4))
    }
    expect(await count('decision_default')).toBe(2)
    await retention.purge(clock.now())
    const stored = async () => {
      const { rows } = await sql<{ id: string }>`select decision_id as id from decision`.execute(db)
      return rows.map(({ id }) => id).sort()
    }
    expect(await stored()).toEqual(ids.toSorted())
    await retention.purge(new Date('2035-04-30T12:00:00Z'))
    expect(await stored()).toEqual(ids.slice(0, 1))
    expect(await count('decision_2035_06')).toBe(1)
    expect(await count('decision_default')).toBe(0)
  })
})

describe('a kind of decisions', () => {
  it('stays with its decisions although a clock that is behind used it last', async () => {
    await createTestLedger(db, clock).ledger.record(decisionOf({ decidedAt: clock.now() }))
    const behind = testClock()
    behind.advance(-3 * 365 * DAY_MS)
    await createTestLedger(db, behind).ledger.record(decisionOf({ decidedAt: behind.now() }))
    await createDecisionRetention({ db, clock, retentionDays: 400 }).purge(clock.now())
    expect(await count('decision')).toBe(1)
    expect(await count('decision_kind')).toBe(1)
  })
})

describe('an erasure', () => {
  it('deletes the decisions of the agent; receipts of others in the batch stay', async () => {
    const { ledger } = createTestLedger(db, clock)
    const decisions = ['agent-1', 'agent-2', 'agent-1'].map((agentId) => decisionOf({ agentId }))
    await Promise.all(decisions.map((one) => ledger.record(one)))
    const retention = createDecisionRetention({ db, clock, retentionDays: 400 })
    await transact(db, (tx) => retention.eraseAgent(tx, toAgentId('agent-1')))
    expect(await count('decision')).toBe(1)
    expect(await count('decision_kind')).toBe(1)
    expect(await count('decision_batch')).toBe(2)
    await transact(db, (tx) => retention.eraseOrg(tx, toOrgId('org-1')))
    for (const table of ['decision', 'decision_kind', 'decision_batch']) {
      expect(await count(table), table).toBe(0)
    }
  })
})
