import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { createCache, createMemo, createSharedCache } from './cache.ts'
import type { Notices } from './notices.ts'

describe('cache', () => {
  it('evicts expired, deleted and, beyond its limit, least recently used entries', () => {
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

  it('respects the total weight, and caches no entry heavier than it', () => {
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

  it('evicts nothing for an entry that is too heavy', () => {
    const weight = { of: (value: number) => value, max: 10 }
    const cache = createCache({ clock: testClock(), entriesMax: 3, ttlMs: 10, weight })
    cache.set('a', 9)
    cache.set('b', 11)
    expect([cache.get('a'), cache.get('b')]).toEqual([9, undefined])
  })

  it('returns only the value last set for a key', () => {
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

describe('cache with invalidation', () => {
  /** Notices that arrive immediately, on this node only. */
  function world() {
    const heard: ((key: string) => void)[] = []
    const resets: (() => void)[] = []
    const told: string[] = []
    let isLive = true
    const notices: Notices = {
      publish: async (_tx, topic, key) => void told.push(`${topic} ${key}`),
      on: (_topic, listener) => void heard.push(listener),
      isLive: () => isLive,
      onReset: (listener) => void resets.push(listener),
      start: async () => undefined,
      stop: async () => undefined,
    }
    const limits = { clock: testClock(), entriesMax: 10, ttlMs: 1000 }
    return {
      known: createSharedCache<number>({ ...limits, notices, topic: 'numbers' }),
      hear(key: string) {
        for (const listener of heard) listener(key)
      },
      suspend() {
        isLive = false
        for (const listener of resets) listener()
      },
      reset() {
        for (const listener of resets) listener()
      },
      told,
    }
  }

  it('reads once, and again after an invalidation', async () => {
    const { known, hear, reset } = world()
    let value = 1
    const find = (key: string) => known.get(key) ?? known.load(key, async () => value++)
    expect(await find('a')).toBe(1)
    expect(await find('a')).toBe(1)
    hear('b')
    expect(await find('a')).toBe(1)
    hear('a')
    expect(await find('a')).toBe(2)
    reset()
    expect(await find('a')).toBe(3)
    known.evict('a')
    expect(await find('a')).toBe(4)
  })

  it('does not cache a value that was invalidated while it was read', async () => {
    const { known, hear } = world()
    const read = async () => {
      hear('another')
      return 1
    }
    expect(await known.load('a', read)).toBe(1)
    expect(known.get('a')).toBeUndefined()
    const keep = known.beginRead()
    known.evict('a')
    keep('a', 2)
    expect(known.get('a')).toBeUndefined()
  })

  it('notifies listeners after an eviction', async () => {
    const { known, hear, reset } = world()
    await known.load('a', async () => 1)
    const heard: unknown[] = []
    known.onChange((key) => heard.push([key, known.get('a')]))
    hear('b')
    known.evict('a')
    reset()
    expect(heard).toEqual([
      ['b', 1],
      ['a', undefined],
      [undefined, undefined],
    ])
  })

  it('reads every time while notices may be missed', async () => {
    const { known, suspend } = world()
    let value = 1
    const find = async () => known.get('a') ?? (await known.load('a', async () => value++))
    expect([await find(), await find()]).toEqual([1, 1])
    suspend()
    expect([await find(), await find()]).toEqual([2, 3])
  })

  it('does not cache missing values', async () => {
    const { known } = world()
    expect(await known.load('a', async () => undefined)).toBeUndefined()
    expect(await known.load('a', async () => 2)).toBe(2)
  })

  it('invalidates all entries with one notice', async () => {
    const { known, hear, told } = world()
    for (const key of ['a', 'b']) await known.load(key, async () => 1)
    await known.invalidateAll(undefined as never)
    await known.invalidate(undefined as never, 'a')
    const [all = ''] = told.map((word) => word.replace('numbers ', ''))
    hear(all)
    expect([known.get('a'), known.get('b')]).toEqual([undefined, undefined])
    expect(told[1]).toBe('numbers a')
  })
})

it('memoises results up to a limit', () => {
  const asked: string[] = []
  const lengthOf = createMemo(2, (text) => {
    asked.push(text)
    return text.length
  })
  expect(['a', 'bb', 'a', 'bb'].map(lengthOf)).toEqual([1, 2, 1, 2])
  expect(asked).toEqual(['a', 'bb'])
  expect(['ccc', 'a'].map(lengthOf)).toEqual([3, 1])
  expect(asked).toEqual(['a', 'bb', 'ccc', 'a'])
})

it('does not memoise a failed computation', () => {
  let isThere = false
  const find = createMemo(2, () => {
    if (!isThere) throw new Error('not yet')
    return 'found'
  })
  expect(() => find('a')).toThrow('not yet')
  isThere = true
  expect(find('a')).toBe('found')
})
