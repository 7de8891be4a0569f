import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { pendingOf, START } from './approvals.fixture.ts'
import type { Escalation, NewEscalation, Question } from './escalation.ts'
import { createEscalationStore } from './store.ts'

const HOUR_MS = 60 * 60_000
const after = (ms: number) => new Date(START.getTime() + ms)
const PAGE = { page: 1, perPage: 20 }

let db: Db
let count = 0

beforeAll(async () => {
  db = (await testDatabase()).db
})

/** A new escalation, by default of a new agent. */
function fresh(given: Partial<NewEscalation> = {}): Escalation {
  count += 1
  return pendingOf(`esc-${count}`, { agentId: `agent-${count}`, ...given })
}

const approved = (escalation: Escalation, given: Partial<Escalation> = {}): Escalation => ({
  ...escalation,
  status: 'approved',
  resolvedBy: 'user-1',
  resolvedAt: START,
  note: 'fine',
  scope: 'call',
  validUntil: after(HOUR_MS),
  usesLeft: 1,
  approvals: [
    { by: 'user-1', at: START, note: 'fine', scope: 'call', ttlMinutes: 60, keyId: 'key-2' },
  ],
  ...given,
})

async function insertApproved(escalation: Escalation, given: Partial<Escalation> = {}) {
  const store = createEscalationStore(db)
  await store.insert(escalation, null)
  await store.saveAnswer(approved(escalation, given))
}

describe('escalations', () => {
  it('are read as they were inserted, the sealed arguments apart', async () => {
    const store = createEscalationStore(db)
    const whole = fresh({
      sessionId: 'sess-1',
      argumentsHash: 'ab',
      hasArguments: true,
      isTruncated: true,
      justification: 'The customer asked',
      transactionId: 'txn-1',
    })
    expect(await store.insert(whole, 'v1.sealed')).toBe(true)
    expect(await store.find(whole.escalationId)).toEqual(whole)
    expect(await store.findArguments(whole.escalationId)).toBe('v1.sealed')
    expect(await store.find('esc-none')).toBeUndefined()
    await store.saveAnswer(approved(whole))
    expect(await store.find(whole.escalationId)).toEqual(approved(whole))
  })

  it('are pending at most once per agent, tool, session and arguments', async () => {
    const store = createEscalationStore(db)
    const first = fresh()
    const again = { ...fresh(), agentId: first.agentId }
    expect(await store.insert(first, null)).toBe(true)
    expect(await store.insert(again, null)).toBe(false)
    expect(await store.findPending(again)).toEqual(first)
    for (const other of [{ tool: 'wire' }, { sessionId: 'sess-1' }, { argumentsHash: 'ab' }]) {
      expect(await store.insert({ ...fresh(), agentId: first.agentId, ...other }, null)).toBe(true)
    }
  })

  it('can be inserted again only after the pending one has expired', async () => {
    const store = createEscalationStore(db)
    const first = fresh()
    const again = { ...fresh(), agentId: first.agentId }
    await store.insert(first, null)
    await store.expire(first, after(HOUR_MS - 1))
    expect(await store.insert(again, null)).toBe(false)
    await store.expire(first, after(HOUR_MS))
    expect(await store.insert(again, null)).toBe(true)
    expect((await store.find(first.escalationId))?.status).toBe('expired')
  })

  it.each([1, 3])('are used by %i of many concurrent callers, in time', async (usesLeft) => {
    const store = createEscalationStore(db)
    const one = fresh()
    await store.insert(one, null)
    expect(await store.use(one.escalationId, START)).toBe(false)
    await store.saveAnswer(approved(one, { usesLeft }))
    expect(await store.use(one.escalationId, after(HOUR_MS))).toBe(false)
    const uses = await Promise.all(
      Array.from({ length: 6 }, () =>
        transact(db, (tx) => createEscalationStore(tx).use(one.escalationId, START)),
      ),
    )
    expect(uses.filter(Boolean)).toHaveLength(usesLeft)
    expect(await store.find(one.escalationId)).toMatchObject({ usesLeft: 0, usedAt: START })
  })

  it('that are approved are found by the call they cover, those of the call first', async () => {
    const store = createEscalationStore(db)
    const call = { sessionId: 'sess-1', argumentsHash: 'ab' }
    const [session, exact] = [fresh(call), fresh(call)]
    exact.agentId = session.agentId
    await insertApproved(session, { scope: 'session', usesLeft: 100 })
    const asker = { askedBy: 'key-1', isBound: false }
    const find = async (given: Partial<Question> = {}, now = START) =>
      (await store.listApproved({ ...session, ...asker, ...given }, now)).map(
        ({ escalationId }) => escalationId,
      )
    expect(await find()).toEqual([session.escalationId])
    await insertApproved(exact)
    expect(await find()).toEqual([exact.escalationId, session.escalationId])
    expect(await find({ argumentsHash: 'cd' })).toEqual([session.escalationId])
    expect(await find({ sessionId: 'sess-2' })).toEqual([])
    expect(await find({ tool: 'wire' })).toEqual([])
    expect(await find({ askedBy: 'key-2' })).toEqual([])
    expect(await find({}, after(HOUR_MS))).toEqual([])
    await store.use(exact.escalationId, START)
    expect(await find()).toEqual([session.escalationId])
  })

  it('are listed by organisation, agent and current status, newest first', async () => {
    const store = createEscalationStore(db)
    const orgId = 'org-listed'
    const early = fresh({ orgId })
    const late = {
      ...fresh({ orgId }),
      createdAt: after(HOUR_MS),
      expiresAt: after(2 * HOUR_MS),
    }
    const gone = { ...fresh({ orgId }), status: 'expired' as const }
    for (const one of [early, late, gone]) await store.insert(one, null)
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

  it('lose their arguments some time after they end', async () => {
    const store = createEscalationStore(db)
    const stored = { argumentsHash: 'ab', hasArguments: true }
    const [answered, unanswered] = [fresh(stored), fresh(stored)]
    for (const one of [answered, unanswered]) await store.insert(one, 'v1.sealed')
    await store.saveAnswer(approved(answered))
    await store.deleteArguments(START, 10)
    expect(await store.find(answered.escalationId)).toMatchObject({ hasArguments: false })
    expect(await store.findArguments(unanswered.escalationId)).toBe('v1.sealed')
    await store.deleteArguments(after(HOUR_MS), 10)
    expect(await store.findArguments(unanswered.escalationId)).toBeNull()
  })

  it('are deleted some time after they end, or with their agent', async () => {
    const store = createEscalationStore(db)
    const [answered, unanswered, other] = [fresh(), fresh(), fresh()]
    for (const one of [answered, unanswered, other]) await store.insert(one, null)
    await store.saveAnswer(approved(answered, { resolvedAt: after(1) }))
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
