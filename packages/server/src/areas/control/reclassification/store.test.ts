import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { createCommentStore } from './comment-store.ts'
import { createReclassificationStore, type Reclassification } from './store.ts'
import { linkComment } from './trail.ts'

const AT = new Date('2026-03-01T10:00:00.000Z')
const later = (seconds: number) => new Date(AT.getTime() + seconds * 1000)

let db: Db
let store: ReturnType<typeof createReclassificationStore>

beforeAll(async () => {
  db = (await testDatabase()).db
  store = createReclassificationStore(db)
})

async function save(agentId: string, number: number, given: Partial<Reclassification> = {}) {
  const one: Reclassification = {
    agentId,
    reclassificationId: `rcl-${number}`,
    checkpointId: `ic-${number}`,
    originalType: 'UNBOUNDED_ACTION',
    newType: 'card_gap',
    reason: 'The card lacked it.',
    cardAmendmentId: null,
    approvedBy: 'user-1',
    createdAt: later(number),
    scoreBefore: 764,
    scoreAfter: null,
    recomputedAt: null,
    ...given,
  }
  await store.insert(one)
  return one
}

describe('the store of reclassifications', () => {
  it('returns reclassifications as saved, newest first', async () => {
    const older = await save('a', 1)
    const newer = await save('a', 2, { newType: 'behavior_gap', scoreBefore: null })
    const page = await store.list('a', { page: 1, perPage: 10 })
    expect(page).toEqual({ items: [newer, older], total: 2, page: 1, perPage: 10 })
    expect(await store.knownOf('a', ['ic-1', 'ic-9'])).toEqual(
      new Map([['ic-1', { reclassificationId: 'rcl-1', newType: 'card_gap' }]]),
    )
  })

  it('links an amendment to the first reclassification that cites it', async () => {
    await save('b', 1, { cardAmendmentId: 'amend-1' })
    await save('b', 2, { cardAmendmentId: 'amend-1' })
    expect(await store.linksOf('b', ['amend-1', 'amend-2'])).toEqual(
      new Map([['amend-1', 'rcl-1']]),
    )
    expect(await store.linksOf('a', ['amend-1'])).toEqual(new Map())
  })

  it('settles each once, with the score that included it', async () => {
    await save('c', 1)
    await save('c', 2, { newType: 'behavior_gap' })
    const pending = await store.listPending(['c', 'd'])
    expect(pending.map((one) => one.reclassificationId)).toEqual(['rcl-1', 'rcl-2'])
    const settled = pending.map(({ agentId, reclassificationId }) => {
      return { agentId, reclassificationId, scoreAfter: 913 }
    })
    await store.settle(settled, later(60))
    expect(await store.listPending(['c'])).toEqual([])
    expect(await store.countApplied('c')).toBe(1)
    const { items } = await store.list('c', { page: 1, perPage: 1 })
    expect(items[0]).toMatchObject({ scoreAfter: 913, recomputedAt: later(60) })
    await expect(store.settle(settled, later(90))).rejects.toThrow('never changed')
  })

  it('refuses a second reclassification of the same checkpoint', async () => {
    await save('e', 1)
    await expect(save('e', 1, { reclassificationId: 'rcl-other' })).rejects.toThrow()
  })

  it('is erased with the agent', async () => {
    await save('f', 1)
    await transact(db, (tx) => createReclassificationStore(tx).deleteOfAgent(toAgentId('f')))
    expect((await store.list('f', { page: 1, perPage: 1 })).total).toBe(0)
  })
})

describe('the store of comments', () => {
  it("keeps an agent's trail in order, and shows the latest comments on each violation", async () => {
    const comments = createCommentStore(db)
    for (let number = 1; number <= 5; number += 1) {
      const comment = {
        id: `vc-${number}`,
        checkpointId: number === 3 ? 'ic-other' : 'ic-1',
        author: 'user-1',
        text: `Entry ${number}`,
        createdAt: AT,
      }
      await comments.insert('a', linkComment(comment, await comments.findEnd('a')))
    }
    expect(await comments.findEnd('a')).toMatchObject({ entryNumber: 5 })
    const said = await comments.saidOf('a', ['ic-1', 'ic-other', 'ic-none'], 2)
    expect(said.get('ic-1')).toMatchObject({ count: 4, latest: [{ id: 'vc-4' }, { id: 'vc-5' }] })
    expect(said.get('ic-other')?.count).toBe(1)
    expect(said.size).toBe(2)
    const page = await comments.list(
      { agentId: 'a', checkpointId: 'ic-1' },
      { page: 1, perPage: 2 },
    )
    expect(page).toMatchObject({ total: 4, items: [{ id: 'vc-5' }, { id: 'vc-4' }] })
    await transact(db, (tx) => createCommentStore(tx).deleteOfAgent(toAgentId('a')))
    expect(await comments.findEnd('a')).toBeUndefined()
  })
})
