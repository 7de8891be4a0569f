import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gamingFlagsOf, isExcluded } from './anti-gaming.ts'

const START = Date.parse('2026-03-01T00:00:00Z')
const HOUR = 3_600_000
const at = (ms: number) => new Date(START + ms)
/** The flags when the last of these timestamps arrives. */
const timing = (times: readonly number[]) =>
  gamingFlagsOf({
    timestamp: at(times.at(-1) ?? 0),
    previous: times.slice(0, -1).map(at),
    twins: [],
  })
const every = (gap: number, count: number) => Array.from({ length: count }, (_, i) => i * gap)

describe('uniform_timing', () => {
  it.each([
    ['eleven evenly spaced', every(60_000, 11), true],
    ['ten evenly spaced', every(60_000, 10), false],
    ['thirty evenly spaced', every(60_000, 30), true],
    ['gaps that differ by 5 ms', [...every(1000, 10), 10_005], true],
    ['gaps that differ by 6 ms', [...every(1000, 10), 10_006], false],
    ['all at the same time', every(0, 11), false],
    ['one timestamp going backwards', [...every(1, 10), 9], false],
    ['backwards', every(-1000, 11), false],
    [
      'uneven gaps only before the last ten',
      [0, 5, ...every(1000, 11).map((time) => time + 9999)],
      true,
    ],
  ])('%s', (_, times, flagged) => {
    expect(timing(times).includes('uniform_timing')).toBe(flagged)
  })

  it('does not depend on the absolute time', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(gaps, fc.nat(), (steps, shift) => {
        const times = [0]
        for (const gap of steps) times.push((times.at(-1) ?? 0) + gap)
        const spread = Math.max(...steps) - Math.min(...steps)
        expect(timing(times.map((time) => time + shift))).toEqual(
          spread <= 5 ? ['uniform_timing'] : [],
        )
      }),
    )
  })
})

describe('identical_content', () => {
  const twins = (...times: readonly number[]) =>
    gamingFlagsOf({ timestamp: at(0), previous: [], twins: times.map(at) })
  it('needs three earlier checkpoints within a day', () => {
    expect(twins(-1, -2)).toEqual([])
    expect(twins(-1, -2, -3)).toEqual(['identical_content'])
    expect(twins(-1, -2, -24 * HOUR)).toEqual(['identical_content'])
    expect(twins(-1, -2, -24 * HOUR - 1)).toEqual([])
    expect(twins(-1, -2, HOUR)).toEqual(['identical_content'])
  })
})

describe('isExcluded', () => {
  it.each([
    [['uniform_timing'], 'clear', 'exclude', true],
    [['identical_content', 'uniform_timing'], 'clear', 'exclude', true],
    [[], 'clear', 'exclude', false],
    [['uniform_timing'], 'review_needed', 'exclude', false],
    [['uniform_timing'], 'boundary_violation', 'exclude', false],
    [['uniform_timing'], 'clear', 'record', false],
    [['low_novelty', 'word_salad', 'burst'], 'clear', 'exclude', false],
    [['uniform_timing', 'burst'], 'clear', 'exclude', true],
  ] as const)('%j, %s, %s: %s', (flags, verdict, policy, excluded) => {
    expect(isExcluded(flags, verdict, policy)).toBe(excluded)
  })
})
