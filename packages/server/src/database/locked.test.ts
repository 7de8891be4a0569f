import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { storeUnlocked } from './locked.ts'

type Item = { agent: string; text: string }

const itemsOf = (...agents: string[]): Item[] =>
  agents.map((agent, at) => ({ agent, text: `${agent}${at}` }))

function lockTimeout(): Error {
  return Object.assign(
    new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error'),
    {
      code: '55P03',
    },
  )
}

/** Stores groups, while each of these agents is locked for so many attempts. */
function createTable(locks: Record<string, number>) {
  const stored: string[][] = []
  let attempts = 0
  const isLocked = (agent: string) => attempts < (locks[agent] ?? 0)
  const options = {
    async store(items: readonly Item[]) {
      const meetsLock = items.some(({ agent }) => isLocked(agent))
      attempts += 1
      if (meetsLock) throw lockTimeout()
      stored.push(items.map(({ text }) => text))
      return items.map(({ text }) => text)
    },
    agentOf: ({ agent }: Item) => agent,
    lockedAmong: async (agents: readonly string[]) => new Set(agents.filter(isLocked)),
    refuse: ({ text }: Item) => `refused ${text}`,
  }
  return { stored, store: (...agents: string[]) => storeUnlocked(itemsOf(...agents), options) }
}

describe('a group with locked agents', () => {
  it('is stored as one if no agent is locked', async () => {
    const table = createTable({})
    expect(await table.store('a', 'b')).toEqual(['a0', 'b1'])
    expect(table.stored).toEqual([['a0', 'b1']])
  })

  it('is stored without them, and their items are refused, in the order given', async () => {
    const table = createTable({ b: Number.POSITIVE_INFINITY })
    expect(await table.store('a', 'b', 'c', 'b')).toEqual(['a0', 'refused b1', 'c2', 'refused b3'])
    expect(table.stored).toEqual([['a0', 'c2']])
  })

  it('is stored in two parts if they were merely busy', async () => {
    const table = createTable({ b: 2 })
    expect(await table.store('b', 'a')).toEqual(['b0', 'a1'])
    expect(table.stored).toEqual([['a1'], ['b0']])
  })

  it('fails as a whole if the lock is of something else', async () => {
    const table = createTable({ b: 1 })
    await expect(table.store('b', 'a')).rejects.toMatchObject({ code: '55P03' })
    expect(table.stored).toEqual([])
  })
})
