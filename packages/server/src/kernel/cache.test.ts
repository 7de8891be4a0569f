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
