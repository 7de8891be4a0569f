import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId, toDecisionId } from '../../../kernel/ids.ts'
import { type BlockedCalls, createStopEventStore } from './stop-event-store.ts'

let db: Db
beforeAll(async () => {
  db = (await testDatabase()).db
})

const NOON = new Date('2026-03-01T12:00:00Z')
const newId = () => toDecisionId(`dec-${randomUUID()}`)

const callsOf = (over: Partial<BlockedCalls>): BlockedCalls => ({
  orgId: 'org-1',
  agentId: 'agent-1',
  policyVersion: 1,
  tool: 'shell',
  decisionId: newId(),
  at: NOON,
  count: 1,
  ...over,
})

const claim = (...blocked: BlockedCalls[]) =>
  transact(db, (tx) => createStopEventStore(tx).claim(blocked, MINUTE_MS))

describe('the events of blocked calls', () => {
  it('are due for the first call and after an interval, with the number of calls', async () => {
    const agentId = randomUUID()
    const first = callsOf({ agentId, count: 2 })
    expect(await claim(first)).toEqual([{ orgId: 'org-1', decisionId: first.decisionId, count: 2 }])
    const soon = later(NOON, MINUTE_MS - 1)
    expect(await claim(callsOf({ agentId, at: soon, count: 3 }))).toEqual([])
    const due = callsOf({ agentId, at: later(NOON, MINUTE_MS) })
    expect(await claim(due)).toEqual([{ orgId: 'org-1', decisionId: due.decisionId, count: 4 }])
    expect(await claim(callsOf({ agentId, at: later(NOON, MINUTE_MS) }))).toEqual([])
  })

  it('are counted by agent, policy version and tool', async () => {
    const agentId = randomUUID()
    const different = [
      callsOf({ agentId }),
      callsOf({ agentId, tool: 'other' }),
      callsOf({ agentId, policyVersion: 2 }),
      callsOf({ agentId, policyVersion: null }),
      callsOf({ agentId: randomUUID() }),
    ]
    const due = await claim(...different)
    expect(new Set(due.map(({ decisionId }) => decisionId))).toEqual(
      new Set(different.map(({ decisionId }) => decisionId)),
    )
  })

  it('count every call once, however many transactions count at the same time', async () => {
    const agentId = randomUUID()
    const claimed = await Promise.all(
      Array.from({ length: 20 }, () =>
        claim(callsOf({ agentId }), callsOf({ agentId, tool: 'b' })),
      ),
    )
    expect(claimed.flat()).toHaveLength(2)
    const overdue = await createStopEventStore(db).claimOverdue(
      later(NOON, MINUTE_MS),
      MINUTE_MS,
      1000,
    )
    expect(overdue.map(({ count }) => count)).toEqual(expect.arrayContaining([19, 19]))
  })

  it('are claimed once if no call follows', async () => {
    const agentId = randomUUID()
    await claim(callsOf({ agentId }))
    const last = callsOf({ agentId })
    await claim(last)
    const at = later(NOON, MINUTE_MS)
    const store = createStopEventStore(db)
    const mine = async (now: Date) =>
      (await store.claimOverdue(now, MINUTE_MS, 1000)).filter(
        ({ decisionId }) => decisionId === last.decisionId,
      )
    expect(await mine(later(at, -1))).toEqual([])
    expect(await mine(at)).toMatchObject([{ count: 1 }])
    expect(await mine(later(at, MINUTE_MS))).toEqual([])
  })

  it('are forgotten with their agent', async () => {
    const agentId = randomUUID()
    await claim(callsOf({ agentId }))
    await createStopEventStore(db).deleteOfAgent(toAgentId(agentId))
    expect(await claim(callsOf({ agentId }))).toHaveLength(1)
  })
})
