import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { openEscalation } from './escalation.ts'
import { asked } from './gateway.fixture.ts'
import { createEscalationStore, type Resolution } from './store.ts'

const START = new Date('2026-03-01T12:00:00.000Z')
const HOUR_MS = 60 * 60_000
const after = (ms: number) => new Date(START.getTime() + ms)
const PAGE = { page: 1, perPage: 20 }

let db: Db
let count = 0

beforeAll(async () => {
  db = (await testDatabase()).db
})

/** A new escalation, of an agent of its own unless it is said. */
function fresh(given: Parameters<typeof asked>[1] = {}) {
  count += 1
  return openEscalation(asked(`esc-${count}`, { agentId: `agent-${count}`, ...given }), START)
}
const approval: Resolution = {
  status: 'approved',
  resolvedBy: 'user-1',
  resolvedAt: START,
  note: 'fine',
}

describe('escalations', () => {
  it('come back as they were put in', async () => {
    const store = createEscalationStore(db)
    const whole = fresh({ sessionId: 'sess-1', transactionId: 'txn-1' })
    expect(await store.insert(whole)).toBe(true)
    expect(await store.find(whole.escalationId)).toEqual(whole)
    expect(await store.find('esc-none')).toBeUndefined()
  })

  it('are pending once for an agent, tool and session, also without a session', async () => {
    const store = createEscalationStore(db)
    const first = fresh()
    const again = { ...fresh(), agentId: first.agentId }
    expect(await store.insert(first)).toBe(true)
    expect(await store.insert(again)).toBe(false)
    expect(await store.findPending(again)).toEqual(first)
    for (const other of [{ tool: 'wire' }, { sessionId: 'sess-1' }]) {
      expect(await store.insert({ ...fresh(), agentId: first.agentId, ...other })).toBe(true)
    }
  })

  it('make room once they have expired, and not before', async () => {
    const store = createEscalationStore(db)
    const first = fresh()
    const again = { ...fresh(), agentId: first.agentId }
    await store.insert(first)
    await store.expire(first, after(HOUR_MS - 1))
    expect(await store.insert(again)).toBe(false)
    await store.expire(first, after(HOUR_MS))
    expect(await store.insert(again)).toBe(true)
    expect((await store.find(first.escalationId))?.status).toBe('expired')
  })

  it('are answered by one of many, in time', async () => {
    const store = createEscalationStore(db)
    const one = fresh()
    await store.insert(one)
    const late = { ...approval, resolvedAt: one.expiresAt }
    expect(await store.resolve(one.escalationId, late)).toBeUndefined()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        transact(db, (tx) => createEscalationStore(tx).resolve(one.escalationId, approval)),
      ),
    )
    expect(answers.filter((answer) => answer !== undefined)).toEqual([{ ...one, ...approval }])
  })

  it('let one of many use an approval, and nobody anything else', async () => {
    const store = createEscalationStore(db)
    const one = fresh()
    await store.insert(one)
    expect(await store.use(one.escalationId, START)).toBe(false)
    await store.resolve(one.escalationId, approval)
    const uses = await Promise.all(
      Array.from({ length: 6 }, () =>
        transact(db, (tx) => createEscalationStore(tx).use(one.escalationId, START)),
      ),
    )
    expect(uses.filter(Boolean)).toHaveLength(1)
  })

  it('are listed by organisation, agent and the status that holds, newest first', async () => {
    const store = createEscalationStore(db)
    const orgId = 'org-listed'
    const early = fresh({ orgId })
    const late = {
      ...fresh({ orgId }),
      createdAt: after(HOUR_MS),
      expiresAt: after(2 * HOUR_MS),
    }
    const gone = { ...fresh({ orgId }), status: 'expired' as const }
    for (const one of [early, late, gone]) await store.insert(one)
    const ids = async (given: { agentId?: string; status?: 'pending' | 'expired' }) => {
      const filter = { orgId, agentId: given.agentId, status: given.status, now: after(HOUR_MS) }
      const page = await store.list(filter, PAGE)
      expect(page.total).toBe(page.items.length)
      return page.items.map(({ escalationId }) => escalationId)
    }
    const [a, b, c] = [late, early, gone].map(({ escalationId }) => escalationId)
    expect(await ids({})).toEqual([a, ...[b, c].sort()])
    expect(await ids({ status: 'pending' })).toEqual([a])
    expect(await ids({ status: 'expired' })).toEqual([b, c].sort())
    expect(await ids({ agentId: gone.agentId })).toEqual([c])
  })

  it('go some time after they ended, or with their agent', async () => {
    const store = createEscalationStore(db)
    const [answered, unanswered, other] = [fresh(), fresh(), fresh()]
    for (const one of [answered, unanswered, other]) await store.insert(one)
    await store.resolve(answered.escalationId, { ...approval, resolvedAt: after(1) })
    await store.deleteEnded(after(1), 10)
    expect(await store.find(answered.escalationId)).toBeDefined()
    await store.deleteEnded(after(2), 10)
    expect(await store.find(answered.escalationId)).toBeUndefined()
    expect(await store.find(unanswered.escalationId)).toBeDefined()
    await store.deleteOfAgent(toAgentId(other.agentId))
    expect(await store.find(other.escalationId)).toBeUndefined()
    await store.deleteEnded(after(HOUR_MS + 1), 10)
    expect(await store.find(unanswered.escalationId)).toBeUndefined()
  })
})
