import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { createAdjustmentStore } from './adjustment-store.ts'

const FROM = new Date('2026-03-01T10:00:00.000Z')
const UNTIL = new Date('2026-05-30T10:00:00.000Z')
const ms = (time: Date, by: number) => new Date(time.getTime() + by)

let store: ReturnType<typeof createAdjustmentStore>

beforeAll(async () => {
  store = createAdjustmentStore((await testDatabase()).db)
  const valid = { from: FROM, until: UNTIL }
  await store.insert(
    [
      { agentId: 'a', adjustmentId: 'adj-1', hop: 1, pointsE4: 1_266_500 },
      { agentId: 'a', adjustmentId: 'adj-2', hop: 2, pointsE4: 245_650 },
      { agentId: 'b', adjustmentId: 'adj-3', hop: 1, pointsE4: 8500 },
    ],
    valid,
  )
})

describe('adjustment store', () => {
  it('sums the adjustments of each agent that has any', async () => {
    expect(await store.sums(['a', 'b', 'c'], FROM)).toEqual(
      new Map([
        ['a', 1_512_150],
        ['b', 8500],
      ]),
    )
  })

  it.each([
    ['a millisecond before they become valid', ms(FROM, -1), 0],
    ['when they become valid', FROM, 2],
    ['in their last valid millisecond', ms(UNTIL, -1), 2],
    ['when they expire', UNTIL, 0],
  ])('sums and lists the same adjustments %s', async (_, at, count) => {
    expect(await store.listValid('a', at)).toHaveLength(count)
    expect((await store.sums(['a'], at)).size).toBe(count > 0 ? 1 : 0)
  })

  it('deletes adjustments with their agent, and when they have expired', async () => {
    await store.deleteOfAgent(toAgentId('b'))
    expect((await store.sums(['b'], FROM)).size).toBe(0)
    expect(await store.deleteExpired(ms(UNTIL, -1))).toBe(0)
    expect(await store.deleteExpired(UNTIL)).toBe(2)
  })
})
