import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLanes } from './lanes.ts'

type Item = { endpointId: string; n: number }
const items = (endpointId: string, ...numbers: number[]): Item[] =>
  numbers.map((n) => ({ endpointId, n }))

describe('lanes', () => {
  it('start up to the limit of an endpoint and let other endpoints overtake its queue', () => {
    const lanes = createLanes<Item>({ perEndpoint: 2, atOnce: 10 })
    lanes.add([...items('a', 1, 2, 3), ...items('b', 4)])
    expect(lanes.start().map(({ n }) => n)).toEqual([1, 2, 4])
    expect(lanes.start()).toEqual([])
    expect(lanes.size()).toBe(4)
    lanes.done({ endpointId: 'a', n: 1 })
    expect(lanes.start().map(({ n }) => n)).toEqual([3])
  })

  it('give back items that have not started', () => {
    const lanes = createLanes<Item>({ perEndpoint: 1, atOnce: 1 })
    lanes.add(items('a', 1, 2))
    lanes.start()
    expect(lanes.drop().map(({ n }) => n)).toEqual([2])
    expect(lanes.size()).toBe(1)
  })

  it('never exceed their limits and start everything in the end', () => {
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
          let finished = 0
          for (;;) {
            open.push(...lanes.start())
            expect(open.length).toBeLessThanOrEqual(atOnce)
            for (const id of ['a', 'b', 'c']) {
              const own = open.filter(({ endpointId }) => endpointId === id)
              expect(own.length).toBeLessThanOrEqual(perEndpoint)
            }
            const first = open.shift()
            if (first === undefined) break
            lanes.done(first)
            finished += 1
          }
          expect(finished).toBe(all.length)
          expect(lanes.size()).toBe(0)
        },
      ),
    )
  })

  it('start items in order of arrival, skipping endpoints at their limit', () => {
    const some = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
    fc.assert(
      fc.property(some, some, (first, second) => {
        const lanes = createLanes<Item>({ perEndpoint: 2, atOnce: 5 })
        const all = [...first, ...second].map((endpointId, n) => ({ endpointId, n }))
        lanes.add(all.slice(0, first.length))
        const started = lanes.start()
        lanes.add(all.slice(first.length))
        for (const one of started) lanes.done(one)
        const open: string[] = []
        const left = all.filter((one) => !started.includes(one))
        const expected = left.filter(({ endpointId }) => {
          const isFree = open.filter((id) => id === endpointId).length < 2 && open.length < 5
          if (isFree) open.push(endpointId)
          return isFree
        })
        expect(lanes.start()).toEqual(expected)
        expect(lanes.size()).toBe(left.length)
        const held = [...lanes.held()].flatMap(([id, n]) => Array.from({ length: n }, () => id))
        expect(held.sort()).toEqual(left.map(({ endpointId }) => endpointId).sort())
        expect(lanes.drop()).toEqual(left.filter((one) => !expected.includes(one)))
        expect(lanes.size()).toBe(expected.length)
      }),
    )
  })
})
