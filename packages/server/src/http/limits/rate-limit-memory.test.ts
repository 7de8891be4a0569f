import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bucket, type RouteWindow, WINDOW_MS } from './rate-limit.ts'
import { createMemoryRateLimits } from './rate-limit-memory.ts'

const START_MS = Date.UTC(2026, 0, 1, 12)

/** Increasing times of requests, with some gaps that are longer than a window. */
const times = fc
  .array(fc.oneof(fc.nat(300), fc.nat(20_000), fc.constantFrom(0, 1, WINDOW_MS - 1, WINDOW_MS)), {
    maxLength: 200,
  })
  .map((gaps) => {
    let nowMs = START_MS
    return gaps.map((gap) => {
      nowMs += gap
      return nowMs
    })
  })

function allowedTimes(at: number[], window?: RouteWindow, bucket?: Bucket): number[] {
  const limits = createMemoryRateLimits()
  return at.filter((nowMs) => limits.take(window, bucket, nowMs).allowed)
}

describe('window', () => {
  it('never allows more requests than its limit', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 12 }), (at, limit) => {
        const allowed = allowedTimes(at, { key: 'a', limit })
        for (let first = 0; first < allowed.length; ) {
          const end = (allowed[first] ?? 0) + WINDOW_MS
          const inside = allowed.slice(first).filter((time) => time < end).length
          expect(inside).toBeLessThanOrEqual(limit)
          first += inside
        }
      }),
    )
  })

  it('rejects nothing until its limit is used up', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 12 }), (at, limit) => {
        let end = 0
        let used = 0
        const limits = createMemoryRateLimits()
        for (const nowMs of at) {
          if (nowMs >= end) {
            end = nowMs + WINDOW_MS
            used = 0
          }
          const decision = limits.take({ key: 'a', limit }, undefined, nowMs)
          expect(decision).toMatchObject({ allowed: used < limit, resetMs: end - nowMs })
          if (decision.allowed) used += 1
        }
      }),
    )
  })

  it('never asks for a wait longer than itself, even if the clock jumps', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10 * WINDOW_MS), { maxLength: 60 }), (at) => {
        const limits = createMemoryRateLimits()
        for (const nowMs of at) {
          const decision = limits.take({ key: 'a', limit: 2 }, undefined, nowMs)
          if (decision.by !== 'none') expect(decision.resetMs).toBeLessThanOrEqual(WINDOW_MS)
          if (!decision.allowed) expect(decision.retryAfterSeconds).toBeLessThanOrEqual(60)
        }
      }),
    )
  })
})

describe('bucket', () => {
  it('never allows more than its capacity plus the refill in any interval', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 40 }), (at, perSecond) => {
        const allowed = allowedTimes(at, undefined, { key: 'a', perSecond })
        for (const [first, from] of allowed.entries()) {
          for (const [last, to] of allowed.entries()) {
            if (last < first) continue
            const most = perSecond + Math.floor(((to - from) * perSecond) / 1_000)
            expect(last - first + 1).toBeLessThanOrEqual(most)
          }
        }
      }),
    )
  })

  it('enforces a limit of 100,000 a second', () => {
    const limits = createMemoryRateLimits()
    const bucket = { key: 'a', perSecond: 100_000 }
    const burst = (nowMs: number) => {
      let allowed = 0
      for (let n = 0; n < 100_100; n += 1) {
        if (limits.take(undefined, bucket, nowMs).allowed) allowed += 1
      }
      return allowed
    }
    expect([burst(START_MS), burst(START_MS + 1)]).toEqual([100_000, 100])
  })

  it('allows nothing at a rate of zero', () => {
    const limits = createMemoryRateLimits()
    const decision = limits.take(undefined, { key: 'a', perSecond: 0 }, START_MS)
    expect(decision).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
  })
})

describe('rejected request', () => {
  it('does not affect later decisions', () => {
    const window = { key: 'a r', limit: 5 }
    const bucket = { key: 'a', perSecond: 3 }
    fc.assert(
      fc.property(times, (at) => {
        const allowed = allowedTimes(at, window, bucket)
        const withoutTheRejected = allowedTimes(allowed, window, bucket)
        expect(withoutTheRejected).toEqual(allowed)
      }),
    )
  })
})

describe('counter table', () => {
  const take = (limits: ReturnType<typeof createMemoryRateLimits>, key: string, nowMs: number) =>
    limits.take({ key, limit: 2 }, undefined, nowMs).allowed

  function flooded(entriesMax: number, nowMs: number) {
    const limits = createMemoryRateLimits({ entriesMax, seed: 1 })
    take(limits, 'early', nowMs)
    take(limits, 'early', nowMs)
    for (let n = 0; n < 10 * entriesMax; n += 1) take(limits, `flood ${n}`, nowMs)
    return limits
  }

  it('never exceeds its maximum size', () => {
    expect(flooded(100, START_MS).size()).toBe(100)
  })

  it('evicts no key before its window ends, even under a flood of new keys', () => {
    expect(take(flooded(100, START_MS), 'early', START_MS + WINDOW_MS - 1)).toBe(false)
  })

  it('enforces the limit of new keys while it is full', () => {
    const limits = flooded(100, START_MS)
    const answers = [0, 1, 2, 3].map((n) => take(limits, 'late', START_MS + n))
    expect(answers).toEqual([true, true, false, false])
  })

  it('admits new keys while it is full', () => {
    const limits = flooded(1_000, START_MS)
    const refused = Array.from({ length: 1_000 }, (_, n) => `late ${n}`).filter(
      (key) => !take(limits, key, START_MS),
    )
    // 9,000 keys in 2^18 slots with a limit of two: hardly any slot has three keys.
    expect(refused.length).toBeLessThan(10)
  })

  it('does not reset a count when an entry becomes free within the window', () => {
    const limits = flooded(100, START_MS)
    const later = START_MS + WINDOW_MS - 1
    const before = [take(limits, 'late', later), take(limits, 'late', later)]
    // The windows of the flood have ended, so their entries are free; that of the new key has not.
    for (let n = 0; n < 50; n += 1) take(limits, `after ${n}`, START_MS + WINDOW_MS)
    expect([...before, take(limits, 'late', START_MS + WINDOW_MS)]).toEqual([true, true, false])
  })

  it('evicts idle entries after a flood, a few with every new key', () => {
    const limits = flooded(100, START_MS)
    for (let n = 0; n < 40; n += 1) take(limits, `after ${n}`, START_MS + 2 * WINDOW_MS)
    expect(limits.size()).toBeLessThan(50)
  })

  it('stays small when callers change', () => {
    const limits = createMemoryRateLimits()
    for (let n = 0; n < 20_000; n += 1) take(limits, `caller ${n}`, START_MS + n * 1_000)
    expect(limits.size()).toBeLessThan(200)
  })
})
