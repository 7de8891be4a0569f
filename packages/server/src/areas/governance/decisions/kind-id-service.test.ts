import { beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { decisionOf } from './decisions.fixture.ts'
import { createKindIds } from './kind-id-service.ts'
import { kindOf } from './kind-store.ts'

let db: Db
let clock: TestClock

beforeEach(async () => {
  db = (await testDatabase()).db
  clock = testClock()
})

const kinds = (...tools: string[]) =>
  new Map(tools.map((tool) => [tool, () => kindOf(decisionOf({ decidedAt: clock.now(), tool }))]))

describe('ids of kinds', () => {
  it('are equal for equal kinds, cached or not', async () => {
    const ids = createKindIds({ db, clock })
    const first = await ids.of(kinds('a', 'b'))
    expect(new Set(first.values()).size).toBe(2)
    const second = await ids.of(kinds('b', 'c'))
    expect(second.get('b')).toBe(first.get('b'))
    clock.advance(2 * DAY_MS)
    expect((await ids.of(kinds('a'))).get('a')).toBe(first.get('a'))
    expect(await createKindIds({ db, clock }).of(kinds('c'))).toEqual(
      new Map([['c', second.get('c')]]),
    )
  })

  it('are complete even if a cached one expires while another is read', async () => {
    const ids = createKindIds({ db, clock })
    const { a } = Object.fromEntries(await ids.of(kinds('a')))
    clock.advance(DAY_MS - 1)
    const reading = ids.of(kinds('a', 'b'))
    clock.advance(DAY_MS)
    await ids.of(kinds('a'))
    expect((await reading).get('a')).toBe(a)
  })
})
