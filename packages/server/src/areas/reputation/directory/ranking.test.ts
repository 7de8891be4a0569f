import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRanking } from './ranking.ts'

describe('ranking', () => {
  it('always gives the same order as sorting everything', () => {
    const step = fc.record({
      number: fc.nat({ max: 12 }),
      value: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      isRead: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const values = new Map<number, number>()
        const compare = (a: number, b: number) =>
          (values.get(a) ?? 0) - (values.get(b) ?? 0) || a - b
        const ranking = createRanking(compare, (number) => values.has(number))
        for (const { number, value, isRead } of steps) {
          if (value === undefined) values.delete(number)
          else values.set(number, value)
          ranking.invalidate([number])
          if (isRead) expect([...ranking.ordered()]).toEqual([...values.keys()].sort(compare))
        }
        expect([...ranking.ordered()]).toEqual([...values.keys()].sort(compare))
      }),
    )
  })
})
