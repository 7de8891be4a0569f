import { randomUUID } from 'node:crypto'
import type { Reservation } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import type { Db } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { createTestLedger, decisionOf } from './decisions.fixture.ts'
import { createSessionCounterStore } from './session-counter-store.ts'

let db: Db
beforeAll(async () => {
  db = (await testDatabase()).db
})

const LATER_MS = Date.now() + 3_600_000

function reservation(over: Partial<Reservation> = {}): Reservation {
  const key = '["limit","org/few"]'
  return { key, max: 3, sliding: false, expiresAtMs: LATER_MS, finding: undefined, ...over }
}

const newAgent = () => `agent-${randomUUID()}`

/** The number of decisions that are stored about the agent. */
async function storedOf(agentId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from decision
    join decision_kind using (org_id, kind_id) where agent_id = ${agentId}`.execute(db)
  return rows[0]?.n ?? 0
}

describe('counts of calls', () => {
  it.each([
    ['of a window', false],
    ['of the last 60 minutes', true],
  ])('%s are taken exactly, over several nodes and batches', async (_which, sliding) => {
    const agentId = newAgent()
    const nodes = [createTestLedger(db), createTestLedger(db), createTestLedger(db)]
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        nodes[n % 3]?.ledger.recordCounted(decisionOf({ agentId }), [
          reservation({ sliding, max: 7 }),
        ]),
      ),
    )
    const exceeded = results.filter((one) => one !== undefined && 'exceeded' in one)
    expect(exceeded).toHaveLength(23)
    expect(await storedOf(agentId)).toBe(7)
  })

  it('are all taken by a call, or none of them', async () => {
    const agentId = newAgent()
    const { ledger } = createTestLedger(db)
    const few = reservation({ max: 1 })
    const many = reservation({ key: 'many', max: 2 })
    const take = async (reservations: Reservation[]) => {
      const one = await ledger.recordCounted(decisionOf({ agentId }), reservations)
      return 'exceeded' in one ? one.exceeded : 'stored'
    }
    expect(await take([few, many])).toBe('stored')
    expect(await take([few, many])).toEqual([few])
    expect(await take([many])).toBe('stored')
    expect(await take([many])).toEqual([many])
    expect(await storedOf(agentId)).toBe(2)
  })

  it('of one agent are not those of another, and marks are never exceeded', async () => {
    const { ledger } = createTestLedger(db)
    for (const agentId of [newAgent(), newAgent()]) {
      const one = reservation({ max: 1 })
      const mark = reservation({ key: 'mark', max: null })
      expect(await ledger.recordCounted(decisionOf({ agentId }), [one, mark])).toHaveProperty(
        'receipt',
      )
      expect(await ledger.recordCounted(decisionOf({ agentId }), [mark])).toHaveProperty('receipt')
      expect(await ledger.recordCounted(decisionOf({ agentId }), [mark, one])).toEqual({
        exceeded: [one],
      })
    }
  })

  it('are taken beside decisions that take none, in one batch', async () => {
    const agentId = newAgent()
    const { ledger } = createTestLedger(db)
    const results = await Promise.all([
      ledger.record(decisionOf({ agentId })),
      ...Array.from({ length: 5 }, () =>
        ledger.recordCounted(decisionOf({ agentId }), [reservation({ max: 2 })]),
      ),
      ledger.record(decisionOf({ agentId })),
    ])
    expect(results.filter((one) => 'receipt' in one)).toHaveLength(4)
    expect(await storedOf(agentId)).toBe(4)
  })

  it('are not taken for an agent that was erased', async () => {
    const { ledger } = createTestLedger(db)
    const agentId = 'erased-agent'
    for (const sliding of [false, true]) {
      await expect(
        ledger.recordCounted(decisionOf({ agentId }), [reservation({ sliding })]),
      ).rejects.toMatchObject({ code: 'agent_not_found' })
    }
    const { rows } = await sql`select 1 from session_counter where agent_id = ${agentId}`.execute(
      db,
    )
    expect(rows).toEqual([])
  })
})

describe('counters', () => {
  it('are deleted after they expire, and with their agent', async () => {
    const { ledger } = createTestLedger(db)
    const [past, present] = [newAgent(), newAgent()]
    const start = Date.parse('2020-01-01T00:00:00Z')
    await ledger.recordCounted(decisionOf({ agentId: past }), [reservation({ expiresAtMs: start })])
    await ledger.recordCounted(decisionOf({ agentId: present }), [reservation()])
    const store = createSessionCounterStore(db)
    expect(await store.deleteExpired(new Date(start), 10)).toBe(0)
    expect(await store.deleteExpired(new Date(start + 1), 10)).toBe(1)
    const countOf = async (agentId: string) => {
      const { rows } = await sql`select 1 from session_counter where agent_id = ${agentId}`.execute(
        db,
      )
      return rows.length
    }
    expect(await countOf(present)).toBe(1)
    await store.deleteOfAgent(toAgentId(present))
    expect(await countOf(present)).toBe(0)
  })
})
