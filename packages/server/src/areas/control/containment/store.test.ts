import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { linkMove, type Moved } from './containment-log.ts'
import { createContainmentStore } from './store.ts'

let db: Db
let store: ReturnType<typeof createContainmentStore>

beforeAll(async () => {
  ;({ db } = await testDatabase())
  store = createContainmentStore(db)
})

const moved = (number: number, action: 'pause' | 'resume'): Moved => ({
  id: `ctl-${number}`,
  action,
  actor: 'user-1',
  reason: number === 1 ? 'Look' : null,
  previousStatus: action === 'pause' ? 'active' : 'paused',
  newStatus: action === 'pause' ? 'paused' : 'active',
  createdAt: new Date(`2026-03-01T12:00:0${number}.000Z`),
})

async function fill(agentId: string) {
  const first = linkMove(moved(1, 'pause'), undefined)
  const second = linkMove(moved(2, 'resume'), first)
  const third = linkMove(moved(3, 'pause'), second)
  await store.insert(agentId, first, 4)
  await store.insert(agentId, second, 7)
  await store.insert(agentId, third, 9)
  return [third, second, first]
}

describe('the store of moves', () => {
  it('returns entries as written, newest first', async () => {
    expect(await store.findLast('agent-1')).toBeUndefined()
    expect(await store.freedAt('agent-1')).toBe(0)
    const entries = await fill('agent-1')
    expect(await store.list('agent-1', 50)).toEqual(entries)
    expect(await store.list('agent-1', 2)).toEqual(entries.slice(0, 2))
    expect(await store.findLast('agent-1')).toEqual(entries[0])
    expect(await store.freedAt('agent-1')).toBe(7)
  })

  it('refuses a second entry with the same number', async () => {
    await fill('agent-2')
    const twin = linkMove({ ...moved(4, 'pause'), id: 'ctl-twin' }, undefined)
    await expect(store.insert('agent-2', twin, 0)).rejects.toThrow()
  })

  it('is append-only, except for an agent that is erased', async () => {
    await fill('agent-3')
    await fill('agent-4')
    await expect(sql`update containment_entry set actor = 'x'`.execute(db)).rejects.toThrow()
    await expect(sql`delete from containment_entry`.execute(db)).rejects.toThrow()
    await expect(sql`truncate containment_entry`.execute(db)).rejects.toThrow()
    await transact(db, (tx) => createContainmentStore(tx).deleteOfAgent(toAgentId('agent-3')))
    expect(await store.list('agent-3', 50)).toEqual([])
    expect(await store.list('agent-4', 50)).toHaveLength(3)
  })
})
