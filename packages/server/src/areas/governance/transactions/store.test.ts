import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { HOUR_MS, later } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { createTransactionStore } from './store.ts'
import { rulesOf, START, transactionOf } from './transaction.fixture.ts'
import type { StoredTransaction } from './transaction.ts'

let db: Db
let store: ReturnType<typeof createTransactionStore>

beforeAll(async () => {
  db = (await testDatabase()).db
  store = createTransactionStore(db)
})

async function save(
  transactionId: string,
  given: Partial<StoredTransaction> = {},
): Promise<StoredTransaction> {
  const transaction = transactionOf(transactionId, given)
  await store.insert(transaction)
  return transaction
}

describe('the transaction store', () => {
  it('reads what it inserted, with the field order of documents', async () => {
    const mapping = { tools: ['a'], card_actions: ['read'] }
    const saved = await save('txn-whole', {
      teamIds: ['team-b', 'team-a'],
      policy: rulesOf({ capability_mappings: { zebra: mapping, ant: mapping } }),
      completedAt: later(START, 1),
    })
    expect(await store.find('txn-whole')).toEqual(saved)
    const { mergedPolicy: _, ...withPolicy } = saved
    const found = await store.findWithPolicy('txn-whole')
    expect(found).toEqual(withPolicy)
    expect(Object.keys(found?.policy?.capability_mappings ?? {})).toEqual(['zebra', 'ant'])
  })

  it('distinguishes a missing transaction from a missing policy', async () => {
    await save('txn-bare')
    expect((await store.findWithPolicy('txn-bare'))?.policy).toBeUndefined()
    expect(await store.find('txn-none')).toBeUndefined()
    expect(await store.findWithPolicy('txn-none')).toBeUndefined()
    expect(await transact(db, (tx) => createTransactionStore(tx).lock('txn-none'))).toBe(undefined)
  })

  it('deletes once', async () => {
    await save('txn-twice')
    expect(await store.delete('txn-twice')).toBe(true)
    expect(await store.delete('txn-twice')).toBe(false)
  })

  it('deletes the transactions of one agent', async () => {
    await save('txn-gone', { agentId: 'agent-gone' })
    await save('txn-stays', { agentId: 'agent-stays' })
    await store.deleteOfAgent(toAgentId('agent-gone'))
    expect(await store.find('txn-gone')).toBeUndefined()
    expect(await store.find('txn-stays')).toBeDefined()
  })

  it('deletes completed and expired ones in bounded batches', async () => {
    const now = later(START, -100 * HOUR_MS)
    const past = { createdAt: later(now, -10 * HOUR_MS) }
    for (const n of [1, 2, 3]) {
      await save(`txn-ended-${n}`, { ...past, expiresAt: later(now, -n + 1) })
    }
    await save('txn-running', { ...past, expiresAt: later(now, 1) })
    await save('txn-done', {
      ...past,
      expiresAt: later(now, HOUR_MS),
      completedAt: later(now, -HOUR_MS),
    })
    expect(await store.deleteEnded(now, 3)).toBe(3)
    expect(await store.deleteEnded(now, 3)).toBe(1)
    expect(await store.deleteEnded(now, 3)).toBe(0)
    expect(await store.find('txn-done')).toBeUndefined()
    expect(await store.find('txn-running')).toBeDefined()
  })
})

describe('a list of transactions', () => {
  const orgId = 'org-list'
  const now = later(START, HOUR_MS)
  const idsOf = async (
    filter: { agentId?: string; status?: 'active' | 'completed' | 'expired' } = {},
    page = { page: 1, perPage: 20 },
  ) => {
    const whole = { orgId, agentId: undefined, status: undefined, now, ...filter }
    const { items, total } = await store.list(whole, page)
    return { ids: items.map(({ transactionId }) => transactionId), total }
  }

  beforeAll(async () => {
    await save('txn-b', { orgId })
    await save('txn-a', { orgId, expiresAt: later(now, 1) })
    await save('txn-c', { orgId, createdAt: later(START, 1), completedAt: later(START, 2) })
    await save('txn-d', { orgId, agentId: 'agent-2', createdAt: later(START, -1) })
    await save('txn-e', { orgId: 'org-other' })
  })

  it('contains one organisation, newest first, ties by id', async () => {
    expect(await idsOf()).toEqual({ ids: ['txn-c', 'txn-a', 'txn-b', 'txn-d'], total: 4 })
  })

  it('filters by the status at the given time', async () => {
    expect(await idsOf({ status: 'active' })).toEqual({ ids: ['txn-a'], total: 1 })
    expect(await idsOf({ status: 'completed' })).toEqual({ ids: ['txn-c'], total: 1 })
    expect(await idsOf({ status: 'expired' })).toEqual({ ids: ['txn-b', 'txn-d'], total: 2 })
    const both = { status: 'expired', agentId: 'agent-2' } as const
    expect(await idsOf(both)).toEqual({ ids: ['txn-d'], total: 1 })
  })

  it('is paged, with empty pages after the last one', async () => {
    expect(await idsOf({}, { page: 2, perPage: 3 })).toEqual({ ids: ['txn-d'], total: 4 })
    expect(await idsOf({}, { page: 3, perPage: 3 })).toEqual({ ids: [], total: 4 })
  })

  it('leaves out policies', async () => {
    const whole = { orgId, agentId: undefined, status: undefined, now }
    const { items } = await store.list(whole, { page: 1, perPage: 1 })
    expect(items[0]).not.toHaveProperty('policy')
    expect(items[0]).not.toHaveProperty('mergedPolicy')
  })
})
