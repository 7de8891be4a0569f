import { randomUUID } from 'node:crypto'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshDatabaseUrl, testDatabase } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { holdTransaction } from '#harness/held-transaction.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { startTcpProxy } from '#harness/tcp-proxy.ts'
import { createDatabase } from '../../../database/database.ts'
import { type Db, isDatabaseDown } from '../../../kernel/db.ts'
import { toDecisionId } from '../../../kernel/ids.ts'
import type { DecisionRecord } from './decision-record.ts'
import { createTestLedger, decisionOf, KEY } from './decisions.fixture.ts'
import { createDecisionStore } from './store.ts'

const FIRST_PAGE = { before: undefined, limit: 50 }

let db: Db
let databaseUrl: string
beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  databaseUrl = database.connectionString
})

describe('the ledger of decisions', () => {
  it('stores a decision as it was decided, with a receipt that verifies', async () => {
    const { ledger } = createTestLedger(db)
    const reasons = [
      { code: 'forbidden', source: 'policy', tool: 'refund', message: 'No', severity: 'high' },
    ] as const
    const wanted = decisionOf({
      decision: 'block',
      reasons,
      verdict: 'fail',
      escalationId: 'esc-1',
    })
    const { decisionId, receipt } = await ledger.record(wanted)
    expect(decisionId).toMatch(/^dec-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/)
    expect(receipt.statement.decision_id).toBe(decisionId)
    expect(verifyDecisionReceipt(receipt, [KEY]).valid).toBe(true)
    const found = await createDecisionStore(db).find('org-1', decisionId)
    expect(found).toMatchObject({ ...wanted, outcome: null })
    expect(await createDecisionStore(db).find('org-2', decisionId)).toBeUndefined()
  })

  it('announces the decisions that stop a call, and no others', async () => {
    const { ledger, announced } = createTestLedger(db)
    const orgId = `org-${randomUUID()}`
    const wanted = (['allow', 'warn', 'escalate', 'block'] as const).map((decision) =>
      decisionOf({ orgId, decision }),
    )
    await Promise.all(wanted.map((one) => ledger.record(one)))
    await expect(
      ledger.record(decisionOf({ orgId, decision: 'block', agentId: 'erased-1' })),
    ).rejects.toThrow('No such agent')
    expect(announced.map(({ decision }) => decision).sort()).toEqual(['block', 'escalate'])
  })

  it('opens escalations in its transaction, those of a batch in one order', async () => {
    const { ledger } = createTestLedger(db)
    const opened: string[] = []
    const openingOf = (subject: string) => ({
      subject,
      open: async (tx: Db) => {
        expect(tx.isTransaction).toBe(true)
        opened.push(subject)
        return `esc-${subject}`
      },
    })
    const first = ledger.record(decisionOf({ decision: 'escalate' }), openingOf('first'))
    const subjects = ['c', 'a', 'b']
    const [, ...batch] = await Promise.all([
      first,
      ...subjects.map((subject) =>
        ledger.record(decisionOf({ decision: 'escalate' }), openingOf(subject)),
      ),
    ])
    expect(opened).toEqual(['first', 'a', 'b', 'c'])
    expect(batch.map(({ escalationId }) => escalationId)).toEqual(['esc-c', 'esc-a', 'esc-b'])
    for (const { decisionId, escalationId, receipt } of batch) {
      expect(receipt.statement.escalation_id).toBe(escalationId)
      const found = await createDecisionStore(db).find('org-1', decisionId)
      expect(found).toMatchObject({ escalationId })
    }
  })

  it('signs no batch before its decisions, even if the clock was set back', async () => {
    const { ledger } = createTestLedger(db)
    const decidedAt = new Date('2999-01-01T00:00:00Z')
    const { receipt } = await ledger.record(decisionOf({ decidedAt }))
    expect(receipt.batch?.at).toBe(decidedAt.toISOString())
  })

  it('signs once per organisation and batch', async () => {
    const { ledger, signatures } = createTestLedger(db)
    const orgs = ['org-a', 'org-b', 'org-c']
    const wanted = Array.from({ length: 90 }, (_, n) => decisionOf({ orgId: orgs[n % 3] ?? '' }))
    const receipts = await Promise.all(wanted.map((one) => ledger.record(one)))
    // The first decision forms a batch alone, and all others wait for it.
    expect(signatures()).toBe(4)
    for (const { receipt } of receipts) {
      expect(verifyDecisionReceipt(receipt, [KEY]).valid).toBe(true)
    }
    expect(Math.max(...receipts.map(({ receipt }) => receipt.batch?.size ?? 0))).toBe(30)
  })

  it('stores the shared columns of equal decisions once', async () => {
    const { ledger } = createTestLedger(db)
    const orgId = `org-${randomUUID()}`
    await Promise.all(Array.from({ length: 20 }, () => ledger.record(decisionOf({ orgId }))))
    await Promise.all(
      Array.from({ length: 5 }, () => createTestLedger(db).ledger.record(decisionOf({ orgId }))),
    )
    const { rows } = await sql`select * from decision_kind where org_id = ${orgId}`.execute(db)
    expect(rows).toHaveLength(1)
  })

  it('stores nothing about an agent that was erased, and signs the rest of the batch', async () => {
    const { ledger } = createTestLedger(db)
    const gone = decisionOf({ agentId: 'erased-agent' })
    const [, refused, stored] = await Promise.allSettled(
      [decisionOf(), gone, decisionOf()].map((one) => ledger.record(one)),
    )
    expect(refused).toMatchObject({ reason: { code: 'agent_not_found' } })
    if (stored?.status !== 'fulfilled') throw new Error('the other decision was not stored')
    const store = createDecisionStore(db)
    expect(await store.list({ orgId: 'org-1', agentId: 'erased-agent' }, FIRST_PAGE)).toEqual([])
    const found = await store.find('org-1', stored.value.decisionId)
    expect(found?.batch.leaves).toHaveLength(2)
  })

  it('never changes a decision, and never deletes one outside a purge', async () => {
    const { ledger } = createTestLedger(db)
    const { decisionId } = await ledger.record(decisionOf())
    const uuid = decisionId.slice(4)
    const change = sql`update decision set session_id = 'other' where decision_id = ${uuid}::uuid`
    await expect(change.execute(db)).rejects.toThrow('final')
    const removal = sql`delete from decision where decision_id = ${uuid}::uuid`
    await expect(removal.execute(db)).rejects.toThrow('never changed')
  })
})

describe('a decision while the database is down', () => {
  it('is signed, and stored when the database is up', async () => {
    const proxy = await startTcpProxy(await freshDatabaseUrl())
    const database = createDatabase({
      connectionString: proxy.url,
      connectionsMax: 2,
      preparedStatements: true,
      onError: () => undefined,
    })
    onFileFinished(() => database.close())
    const { ledger, unrecorded } = createTestLedger(database.db)
    await ledger.record(decisionOf())
    proxy.disconnect()
    await expect(ledger.record(decisionOf())).rejects.toSatisfy(isDatabaseDown)
    const { decisionId, receipt } = await ledger.recordLater(decisionOf())
    expect(verifyDecisionReceipt(receipt, [KEY]).valid).toBe(true)
    expect(unrecorded()).toBe(1)
    proxy.reconnect()
    await eventually(async () => {
      const found = await createDecisionStore(database.db).find('org-1', decisionId)
      expect(found).toMatchObject({ decisionId })
    })
  })
})

describe('with DECISION_DURABILITY=after_answer', () => {
  it('answers an allow first, stores it soon, and commits a block before its answer', async () => {
    const { ledger, unrecorded } = createTestLedger(db, undefined, 'after_answer')
    const store = createDecisionStore(db)
    const held = await holdTransaction(databaseUrl, [['lock table decision in exclusive mode']])
    const allowed = await ledger.record(decisionOf())
    expect(verifyDecisionReceipt(allowed.receipt, [KEY]).valid).toBe(true)
    expect(await store.find('org-1', allowed.decisionId)).toBeUndefined()
    await held.rollback()
    const blocked = await ledger.record(decisionOf({ decision: 'block' }))
    expect(await store.find('org-1', blocked.decisionId)).toBeDefined()
    await eventually(async () => {
      expect(await store.find('org-1', allowed.decisionId)).toBeDefined()
    })
    const last = await ledger.record(decisionOf({ decision: 'warn' }))
    await ledger.stop()
    expect(await store.find('org-1', last.decisionId)).toBeDefined()
    expect(unrecorded()).toBe(0)
  })

  it('keeps decisions in memory while the database is down, at most 10,000', async () => {
    const proxy = await startTcpProxy(await freshDatabaseUrl())
    const database = createDatabase({
      connectionString: proxy.url,
      connectionsMax: 2,
      preparedStatements: true,
      onError: () => undefined,
    })
    onFileFinished(() => database.close())
    const { ledger, unrecorded } = createTestLedger(database.db, undefined, 'after_answer')
    proxy.disconnect()
    const { decisionId } = await ledger.record(decisionOf())
    await eventually(async () => {
      expect(await ledger.record(decisionOf())).toMatchObject({ isWaiting: true })
    })
    const fill = Array.from({ length: 9999 - unrecorded() }, () => ledger.record(decisionOf()))
    await Promise.allSettled(fill)
    await Promise.allSettled([ledger.record(decisionOf()), ledger.record(decisionOf())])
    await expect(ledger.record(decisionOf())).rejects.toMatchObject({ code: 'unavailable' })
    proxy.reconnect()
    await eventually(async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from decision`.execute(database.db)
      expect(rows).toEqual([{ n: 10_000 }])
    })
    const found = await createDecisionStore(database.db).find('org-1', decisionId)
    expect(found).toMatchObject({ decisionId })
  })
})

describe('a group of decisions', () => {
  it('is stored in one transaction, once every member has recorded or left', async () => {
    const { ledger, signatures } = createTestLedger(db)
    const group = ledger.group(4)
    const orgId = `org-${randomUUID()}`
    const members = [0, 1, 2, 3].map((number) => group.member(number))
    const made = ['a', 'erased-b', 'c'].map((agentId) => decisionOf({ orgId, agentId }))
    const recording = Promise.allSettled(
      made.map((decision, at) => members[at]?.record(decision)).reverse(),
    )
    const store = createDecisionStore(db)
    expect(await store.list({ orgId }, FIRST_PAGE)).toEqual([])
    members[3]?.leave()
    members[3]?.leave()
    const [third, erased, first] = await recording
    expect(third).toMatchObject({ value: { receipt: { batch: { index: 2, size: 3 } } } })
    expect(first).toMatchObject({ value: { receipt: { batch: { index: 0 } } } })
    expect(erased).toMatchObject({ reason: { code: 'agent_not_found' } })
    expect(signatures()).toBe(1)
    const stored = await sql<{ transactions: number }>`select
      count(distinct xmin::text)::int as transactions from decision where org_id = ${orgId}`.execute(
      db,
    )
    expect(stored.rows).toEqual([{ transactions: 1 }])
    await members[0]?.record(decisionOf({ orgId }))
    expect(await store.list({ orgId }, FIRST_PAGE)).toHaveLength(3)
  })
})

describe('the list of decisions', () => {
  it('is filtered by every field, newest first', async () => {
    const { ledger } = createTestLedger(db)
    const orgId = `org-${randomUUID()}`
    const at = Date.now() - 60_000
    const all: Partial<DecisionRecord>[] = [
      { agentId: 'agent-0', tool: 'mail_send', sessionId: 'first' },
      { sessionId: 'first' },
      { agentId: 'agent-0', policyId: null, sessionId: 'first' },
      { tool: 'mail_send', sessionId: 'first', callId: 'call-3' },
      { agentId: 'agent-0' },
      { decision: 'block' },
      { agentId: 'agent-0', tool: 'mail_send', source: 'hook' },
      { escalationId: 'esc-7' },
    ]
    const made = all.map((over, n) =>
      decisionOf({
        orgId,
        decidedAt: new Date(at + n * 1000),
        tool: 'mail_read',
        sessionId: null,
        callId: null,
        ...over,
      }),
    )
    const ids: string[] = []
    for (const one of made) ids.push((await ledger.record(one)).decisionId)
    const store = createDecisionStore(db)
    const numbers = async (filter: object) => {
      const found = await store.list({ orgId, ...filter }, FIRST_PAGE)
      return found.map(({ decisionId }) => ids.indexOf(decisionId))
    }
    expect(await numbers({})).toEqual([7, 6, 5, 4, 3, 2, 1, 0])
    expect(await numbers({ agentId: 'agent-0' })).toEqual([6, 4, 2, 0])
    expect(await numbers({ tool: 'mail_send' })).toEqual([6, 3, 0])
    expect(await numbers({ tool: 'mail_*' })).toHaveLength(8)
    expect(await numbers({ tool: 'mail_%*' })).toEqual([])
    expect(await numbers({ decisions: ['block'] })).toEqual([5])
    expect(await numbers({ decisions: ['block', 'allow'] })).toHaveLength(8)
    expect(await numbers({ source: 'hook' })).toEqual([6])
    expect(await numbers({ policyId: 'pol-1' })).toHaveLength(7)
    expect(await numbers({ sessionId: 'first' })).toEqual([3, 2, 1, 0])
    expect(await numbers({ callId: 'call-3' })).toEqual([3])
    expect(await numbers({ escalationId: 'esc-7' })).toEqual([7])
    expect(await numbers({ outcome: 'none' })).toHaveLength(8)
    expect(await numbers({ outcome: 'bypassed' })).toEqual([])
    expect(await numbers({ from: new Date(at + 2000), to: new Date(at + 4000) })).toEqual([3, 2])
    const before = toDecisionId(ids[3] ?? '')
    const page = await store.list({ orgId }, { before, limit: 2 })
    expect(page.map(({ decisionId }) => ids.indexOf(decisionId))).toEqual([2, 1])
  })
})
