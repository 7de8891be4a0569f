import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLanes } from './lanes.ts'

type Item = { endpointId: string; n: number }
const items = (endpointId: string, ...numbers: number[]): Item[] =>
  numbers.map((n) => ({ endpointId, n }))

describe('lanes', () => {
  it('let so many of an endpoint begin, and others pass those that wait', () => {
    const lanes = createLanes<Item>({ perEndpoint: 2, atOnce: 10 })
    lanes.add([...items('a', 1, 2, 3), ...items('b', 4)])
    expect(lanes.begin().map(({ n }) => n)).toEqual([1, 2, 4])
    expect(lanes.begin()).toEqual([])
    expect(lanes.size()).toBe(4)
    lanes.done({ endpointId: 'a', n: 1 })
    expect(lanes.begin().map(({ n }) => n)).toEqual([3])
  })

  it('give back what has not begun', () => {
    const lanes = createLanes<Item>({ perEndpoint: 1, atOnce: 1 })
    lanes.add(items('a', 1, 2))
    lanes.begin()
    expect(lanes.drop().map(({ n }) => n)).toEqual([2])
    expect(lanes.size()).toBe(1)
  })

  it('never exceed their limits and let everything through in the end', () => {
    const arrivals = fc.array(
      fc.record({ endpointId: fc.constantFrom('a', 'b', 'c'), n: fc.nat() }),
    )
    fc.assert(
      fc.property(
        arrivals,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        (all, perEndpoint, atOnce) => {
          const lanes = createLanes<Item>({ perEndpoint, atOnce })
          lanes.add(all)
          const open: Item[] = []
          let through = 0
          for (;;) {
            open.push(...lanes.begin())
            expect(open.length).toBeLessThanOrEqual(atOnce)
            for (const id of ['a', 'b', 'c']) {
              const own = open.filter(({ endpointId }) => endpointId === id)
              expect(own.length).toBeLessThanOrEqual(perEndpoint)
            }
            const first = open.shift()
            if (first === undefined) break
            lanes.done(first)
            through += 1
          }
          expect(through).toBe(all.length)
          expect(lanes.size()).toBe(0)
        },
      ),
    )
  })

  it('let begin in the order in which they came, whoever is free', () => {
    const some = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
    fc.assert(
      fc.property(some, some, (first, second) => {
        const lanes = createLanes<Item>({ perEndpoint: 2, atOnce: 5 })
        const all = [...first, ...second].map((endpointId, n) => ({ endpointId, n }))
        lanes.add(all.slice(0, first.length))
        const begun = lanes.begin()
        lanes.add(all.slice(first.length))
        for (const one of begun) lanes.done(one)
        const open: string[] = []
        const left = all.filter((one) => !begun.includes(one))
        const expected = left.filter(({ endpointId }) => {
          const isFree = open.filter((id) => id === endpointId).length < 2 && open.length < 5
          if (isFree) open.push(endpointId)
          return isFree
        })
        expect(lanes.begin()).toEqual(expected)
        expect(lanes.size()).toBe(left.length)
        const held = [...lanes.held()].flatMap(([id, n]) => Array.from({ length: n }, () => id))
        expect(held.sort()).toEqual(left.map(({ endpointId }) => endpointId).sort())
        expect(lanes.drop()).toEqual(left.filter((one) => !expected.includes(one)))
        expect(lanes.size()).toBe(expected.length)
      }),
    )
  })
})
