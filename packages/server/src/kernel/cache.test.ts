import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { createCache } from './cache.ts'

describe('the cache', () => {
  it('forgets at its time, at a word, and the least recently used beyond its bound', () => {
    const clock = testClock()
    const cache = createCache<number>({ clock, entriesMax: 2, ttlMs: 1000 })
    cache.set('a', 1)
    cache.set('b', 2)
    expect(cache.get('a')).toBe(1)
    cache.set('c', 3)
    expect(cache.get('b')).toBeUndefined()
    cache.delete('a')
    expect(cache.get('a')).toBeUndefined()
    clock.advance(999)
    expect(cache.get('c')).toBe(3)
    clock.advance(1)
    expect(cache.get('c')).toBeUndefined()
  })

  it('keeps together no more than they may weigh, and nothing that alone weighs more', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(12))), (steps) => {
        const weight = { of: (value: number) => value, max: 10 }
        const cache = createCache({ clock: testClock(), entriesMax: 3, ttlMs: 10, weight })
        for (const [key, value] of steps) {
          cache.set(key, value)
          expect(cache.get(key)).toBe(value > 10 ? undefined : value)
          const kept = ['a', 'b', 'c', 'd'].flatMap((one) => cache.get(one) ?? [])
          expect(kept.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(10)
        }
      }),
    )
  })

  it('drives nobody out for one that cannot stay itself', () => {
    const weight = { of: (value: number) => value, max: 10 }
    const cache = createCache({ clock: testClock(), entriesMax: 3, ttlMs: 10, weight })
    cache.set('a', 9)
    cache.set('b', 11)
    expect([cache.get('a'), cache.get('b')]).toEqual([9, undefined])
  })

  it('never answers with anything but what was last set for that key', () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.nat() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = createCache<number>({ clock: testClock(), entriesMax: 2, ttlMs: 10 })
        const model = new Map<string, number>()
        for (const { key, value } of steps) {
          cache.set(key, value)
          model.set(key, value)
          expect(cache.get(key)).toBe(value)
          for (const [known, last] of model) expect([undefined, last]).toContain(cache.get(known))
        }
      }),
    )
  })
})
