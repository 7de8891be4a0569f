import { beforeAll, describe, expect, it } from 'vitest'
import { checkpointWorld, newCheckpointId, textOf, type World } from '#harness/checkpoints.ts'
import { holdTransaction } from '#harness/held-transaction.ts'

let w: World

beforeAll(async () => {
  w = await checkpointWorld({}, { sessionLimits: { groupLockMs: 500 } })
})

let count = 0
const submission = (agentId: string) => {
  count += 1
  return {
    checkpoint_id: newCheckpointId(),
    agent_id: agentId,
    thinking: textOf(count),
    session_id: `session-${agentId}`,
  }
}
const bodyOf = (agentId: string) => {
  const { agent_id: _, ...body } = submission(agentId)
  return body
}

/** Rows that another process holds and does not release, because it is frozen. */
const held = [
  ['its chain', 'select from chain_head where agent_id = $1 for update'],
  ['its row', 'select from agent where agent_id = $1 for update'],
] as const

describe('while a frozen process holds the lock of an agent', () => {
  it.each(held)('on %s, checkpoints of others are stored', async (_, statement) => {
    const [frozen = '', ...others] = await Promise.all([w.newAgent(), w.newAgent(), w.newAgent()])
    const lock = await holdTransaction(w.t.databaseUrl, [[statement, frozen]])
    const refused = w.post(frozen, bodyOf(frozen))
    const stored = others.map((agentId) => w.post(agentId, bodyOf(agentId)))
    for (const answer of await Promise.all(stored)) expect(answer.status).toBe(201)
    const answer = await refused
    expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    await lock.rollback()
    expect((await w.post(frozen, bodyOf(frozen))).status).toBe(201)
  })

  it('only its items of a batch are refused', async () => {
    const [frozen = '', free = ''] = await Promise.all([w.newAgent(), w.newAgent()])
    const lock = await holdTransaction(w.t.databaseUrl, [
      ['select from chain_head where agent_id = $1 for update', frozen],
    ])
    const { status, body } = await w.batch([submission(frozen), submission(free)])
    expect(status).toBe(200)
    expect(body.results).toMatchObject([
      { status: 'rejected', error: 'unavailable' },
      { status: 'created' },
    ])
    await lock.rollback()
  })
})
