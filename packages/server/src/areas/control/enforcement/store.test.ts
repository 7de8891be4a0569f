import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { createNudgeStore, type NewNudge } from './store.ts'

const AT = new Date('2026-03-02T12:00:00.000Z')
const SINCE = new Date('2026-03-01T12:00:00.000Z')
const DELIVERY = { since: SINCE, now: AT, limit: 2 }

let db: Db
let store: ReturnType<typeof createNudgeStore>

beforeAll(async () => {
  ;({ db } = await testDatabase())
  store = createNudgeStore(db)
})

const nudge = (agentId: string, position: number, createdAt = AT): NewNudge => ({
  nudgeId: `${agentId}-${position}`,
  agentId,
  sessionId: 's-1',
  position,
  createdAt,
  checkpointId: `ic-${position}`,
  message: 'Look again',
})

describe('the store of nudges', () => {
  it('delivers nudges in chain order and marks them', async () => {
    const agent = { agentId: 'agent-1', sessionId: undefined }
    await store.insertAll([2, 0, 1].map((position) => nudge('agent-1', position)))
    const { position: _, ...first } = nudge('agent-1', 0)
    const told = await store.deliver(agent, DELIVERY)
    expect(told[0]).toEqual(first)
    expect(told.map(({ checkpointId }) => checkpointId)).toEqual(['ic-0', 'ic-1'])
    expect(await store.hasPending('agent-1', SINCE)).toBe(true)
    expect(await store.deliver(agent, DELIVERY)).toHaveLength(1)
    expect(await store.hasPending('agent-1', SINCE)).toBe(false)
  })

  it('skips nudges locked by another delivery, and returns them after its rollback', async () => {
    const agent = { agentId: 'agent-2', sessionId: 's-1' }
    await store.insertAll([0, 1, 2].map((position) => nudge('agent-2', position)))
    const undone = transact(db, async (tx) => {
      expect(await createNudgeStore(tx).deliver(agent, DELIVERY)).toHaveLength(2)
      const [other] = await store.deliver(agent, DELIVERY)
      expect(other?.checkpointId).toBe('ic-2')
      throw new Error('rolled back')
    })
    await expect(undone).rejects.toThrow('rolled back')
    const back = await store.deliver(agent, DELIVERY)
    expect(back.map(({ checkpointId }) => checkpointId)).toEqual(['ic-0', 'ic-1'])
  })

  it('ignores expired nudges, and purges them', async () => {
    await store.insertAll([nudge('agent-3', 0, SINCE), nudge('agent-3', 1)])
    const agent = { agentId: 'agent-3', sessionId: undefined }
    expect(await store.deleteBefore(SINCE, 10)).toBe(1)
    expect(await store.deliver(agent, DELIVERY)).toMatchObject([{ checkpointId: 'ic-1' }])
  })
})
