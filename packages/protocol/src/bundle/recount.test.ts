import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gamingFlagsOf } from '../evidence/anti-gaming.ts'
import { type CountedCheckpoint, createRecount } from './recount.ts'

const AT = Date.parse('2026-03-01T12:00:00.000Z')
const HOUR = 3_600_000

const one = (change: Partial<CountedCheckpoint> = {}): CountedCheckpoint => ({
  checkpointId: 'ic-1',
  sessionId: 's',
  timestampMs: AT,
  verdict: 'clear',
  synthetic: false,
  excluded: false,
  cardGap: false,
  contentKey: 'a',
  ...change,
})

function count(checkpoints: readonly CountedCheckpoint[], drifted: readonly string[] = []) {
  const recount = createRecount(AT)
  for (const checkpoint of checkpoints) recount.add(checkpoint)
  return recount.counts(new Set(drifted))
}

const verdicts = (...given: string[]) => given.map((verdict) => one({ verdict }))
const [bad, review, gap] = [
  one({ verdict: 'boundary_violation' }),
  one({ verdict: 'review_needed' }),
  one({ verdict: 'boundary_violation', cardGap: true }),
]
const clear = one()

describe('flags', () => {
  const anyCheckpoint = fc.record({
    timestampMs: fc.oneof(
      fc.integer({ min: AT - 72 * HOUR, max: AT }),
      fc.integer({ min: 0, max: 40 }).map((steps) => AT - steps * HOUR),
    ),
    contentKey: fc.constantFrom('a', 'b'),
    synthetic: fc.boolean(),
  })

  it('match those from a search through the whole history', () => {
    fc.assert(
      fc.property(fc.array(anyCheckpoint, { maxLength: 60 }), (given) => {
        const recount = createRecount(AT)
        const before: CountedCheckpoint[] = []
        for (const checkpoint of given.map(one)) {
          const times = (kept: CountedCheckpoint[]) =>
            kept.map((kept) => new Date(kept.timestampMs))
          const expected = gamingFlagsOf({
            timestamp: new Date(checkpoint.timestampMs),
            previous: times(before),
            twins: times(before.filter((kept) => kept.contentKey === checkpoint.contentKey)),
          })
          expect(recount.add(checkpoint)).toEqual(checkpoint.synthetic ? [] : expected)
          if (!checkpoint.synthetic) before.push(checkpoint)
        }
      }),
    )
  })

  it('are set for eleven evenly spaced checkpoints', () => {
    const recount = createRecount(AT)
    const flags = Array.from({ length: 11 }, (_, i) =>
      recount.add(one({ timestampMs: AT + i * 1000, contentKey: `${i}` })),
    )
    expect(flags).toEqual([...Array.from({ length: 10 }, () => []), ['uniform_timing']])
  })
})

describe('the scoring set', () => {
  it('omits checkpoints that were not analysed or are excluded', () => {
    const counts = count([clear, bad, one({ synthetic: true }), one({ excluded: true })])
    expect(counts.checkpoints).toEqual({ scored: 2, clear: 1, excluded: 1 })
  })

  it('keeps card gaps, and violations of the last 90 days', () => {
    const old = one({ verdict: 'boundary_violation', timestampMs: AT - 90 * 24 * HOUR })
    const counts = count([old, gap, bad])
    expect(counts.checkpoints.scored).toBe(3)
    expect(counts.violations.map(({ cardGap }) => cardGap)).toEqual([true, false])
  })
})

describe('a session', () => {
  it.each([
    ['two checkpoints', [bad, bad], { total: 0, unstable: 0 }],
    ['three in a row', [bad, review, bad], { total: 1, unstable: 1 }],
    [
      'three with a clear checkpoint in between',
      [bad, review, clear, bad],
      { total: 1, unstable: 0 },
    ],
    ['a card gap in the streak', [bad, gap, review], { total: 1, unstable: 0 }],
    ['a streak around a card gap', [bad, gap, review, bad], { total: 1, unstable: 1 }],
    ['clear again', [bad, bad, bad, clear, clear, clear], { total: 1, unstable: 1 }],
    [
      'an excluded checkpoint in between',
      [bad, bad, one({ excluded: true }), bad],
      { total: 1, unstable: 1 },
    ],
  ])('%s', (_, checkpoints, expected) => {
    expect(count(checkpoints).sessions).toEqual(expected)
  })

  it('is unstable if its traces drifted, provided it is long enough', () => {
    expect(count(verdicts('clear', 'clear', 'clear'), ['s']).sessions.unstable).toBe(1)
    expect(count(verdicts('clear', 'clear'), ['s']).sessions.unstable).toBe(0)
    expect(count(verdicts('clear', 'clear', 'clear'), ['t']).sessions.unstable).toBe(0)
  })
})
