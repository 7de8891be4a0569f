import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  adjustmentPoints,
  COMPONENTS,
  type ComponentScores,
  componentScores,
  compositeScore,
  PAIR_WEIGHTS,
} from './component-scores.ts'
import { anyInput, anyViolation, readVectors, scoreInput } from './score-input.fixture.ts'
import type { PeerScores } from './score-input.ts'

type Five = [number, number, number, number, number]
type Case = { components: Five; score: number }
const { cases } = readVectors<{ cases: Case[] }>('composite')

const fromFive = ([a, b, c, d, e]: Five): ComponentScores => ({
  integrity_ratio: a,
  compliance: b,
  drift_stability: c,
  trace_completeness: d,
  coherence_compatibility: e,
})

const point = fc.integer({ min: 0, max: 1000 })
const five: fc.Arbitrary<Five> = fc.tuple(point, point, point, point, point)
const anyHistory = anyInput({ min: 0, max: 5000 })

describe('compositeScore', () => {
  it.each(cases)('of $components is $score', ({ components, score }) => {
    expect(compositeScore(fromFive(components))).toBe(score)
  })

  it('is the published formula in integers', () => {
    fc.assert(
      fc.property(five, ([a, b, c, d, e]) => {
        const expected = Math.floor((4 * a + 2 * b + 2 * c + d + e + 5) / 10)
        expect(compositeScore(fromFive([a, b, c, d, e]))).toBe(expected)
      }),
    )
  })

  it('equals the components if all are equal, so the weights add up to one', () => {
    expect(COMPONENTS.reduce((sum, { weightTenths }) => sum + weightTenths, 0)).toBe(10)
    fc.assert(
      fc.property(point, (n) => {
        expect(compositeScore(fromFive([n, n, n, n, n]))).toBe(n)
      }),
    )
  })

  it('never falls if a component rises', () => {
    fc.assert(
      fc.property(five, five, (a, b) => {
        const best = a.map((n, i) => Math.max(n, b[i] ?? 0)) as Five
        expect(compositeScore(fromFive(best))).toBeGreaterThanOrEqual(compositeScore(fromFive(a)))
      }),
    )
  })
})

describe('componentScores', () => {
  it('has its defaults without observations', () => {
    const nothing = scoreInput({ checkpoints: { scored: 0, clear: 0, excluded: 0 } })
    expect(componentScores(nothing)).toEqual(fromFive([0, 1000, 1000, 1000, 750]))
  })

  it('are integers from 0 to 1000', () => {
    fc.assert(
      fc.property(anyHistory, (input) => {
        for (const score of Object.values(componentScores(input))) {
          expect(Number.isInteger(score) && score >= 0 && score <= 1000).toBe(true)
        }
      }),
    )
  })

  it('rounds half a point up', () => {
    const scores = componentScores(
      scoreInput({
        checkpoints: { scored: 16, clear: 1, excluded: 0 },
        sessions: { total: 16, unstable: 15 },
        tracesVerified: 1,
        peers: { count: 2, pairScoreE4Sum: 1250 },
      }),
    )
    expect(scores).toEqual(fromFive([63, 1000, 63, 63, 63]))
  })

  it('computes the mean of pair scores exactly: 0.5 and 0.32 give 410', () => {
    const peers = { count: 2, pairScoreE4Sum: 8200 }
    expect(componentScores(scoreInput({ peers })).coherence_compatibility).toBe(410)
  })

  it('weighs pair scores across organisations twice, as the vectors say', () => {
    type Pair = { pair_score_e4: number; weight: 0.5 | 1 }
    type Case = { pair_scores: Pair[]; score: number; methodology_1: number }
    const { cases } = readVectors<{ cases: Case[] }>('coherence')
    for (const { pair_scores: pairs, score, methodology_1: before } of cases) {
      const sumOf = (some: Pair[]) => ({
        count: some.length,
        pairScoreE4Sum: some.reduce((sum, one) => sum + one.pair_score_e4, 0),
      })
      const all = sumOf(pairs)
      const acrossOrgs = sumOf(pairs.filter(({ weight }) => weight === PAIR_WEIGHTS.acrossOrgs))
      const coherenceOf = (peers: PeerScores) =>
        componentScores(scoreInput({ peers })).coherence_compatibility
      expect([coherenceOf({ ...all, acrossOrgs }), coherenceOf(all)]).toEqual([score, before])
    }
  })

  it.each([
    [7500, 1_266_500, 877],
    [9500, 1_076_525, 1000],
    [6000, 915_046, 692],
    [100, -345_000, 0],
  ])('moves coherence from a pair score of %i e-4 by %i e-4 to %i', (e4, adjustmentE4, score) => {
    const input = scoreInput({ peers: { count: 1, pairScoreE4Sum: e4 }, adjustmentE4 })
    expect(componentScores(input).coherence_compatibility).toBe(score)
  })

  it('never falls with another clear checkpoint and its trace', () => {
    fc.assert(
      fc.property(anyHistory, (input) => {
        const { scored, clear, excluded } = input.checkpoints
        const before = componentScores(input)
        const after = componentScores({
          ...input,
          checkpoints: { scored: scored + 1, clear: clear + 1, excluded },
          tracesVerified: input.tracesVerified + 1,
        })
        expect(after.integrity_ratio).toBeGreaterThanOrEqual(before.integrity_ratio)
        if (input.tracesVerified <= scored) {
          expect(after.trace_completeness).toBeGreaterThanOrEqual(before.trace_completeness)
        }
        expect(after.compliance).toBe(before.compliance)
        expect(after.drift_stability).toBe(before.drift_stability)
      }),
    )
  })

  it('never rises with another violation in another unstable session', () => {
    fc.assert(
      fc.property(anyHistory, anyViolation, (input, violation) => {
        const { checkpoints, sessions } = input
        const before = componentScores(input)
        const after = componentScores({
          ...input,
          checkpoints: { ...checkpoints, scored: checkpoints.scored + 1 },
          sessions: { total: sessions.total + 1, unstable: sessions.unstable + 1 },
          violations: [...input.violations, { ...violation, cardGap: false }],
        })
        for (const { key } of COMPONENTS) expect(after[key]).toBeLessThanOrEqual(before[key])
      }),
    )
  })

  it('rises with the pair scores and with the adjustment', () => {
    const rise = fc.integer({ min: 0, max: 100_000 })
    fc.assert(
      fc.property(anyHistory, rise, rise, (input, more, points) => {
        const { count, pairScoreE4Sum } = input.peers
        const peers = { count, pairScoreE4Sum: Math.min(10_000 * count, pairScoreE4Sum + more) }
        const adjustmentE4 = input.adjustmentE4 + points
        const after = componentScores({ ...input, peers, adjustmentE4 })
        const before = componentScores(input)
        expect(after.coherence_compatibility).toBeGreaterThanOrEqual(before.coherence_compatibility)
      }),
    )
  })

  it.each([
    ['more clear than scored', { checkpoints: { scored: 50, clear: 51, excluded: 0 } }],
    ['a negative count', { checkpoints: { scored: 50, clear: 50, excluded: -1 } }],
    ['a fraction of a trace', { tracesVerified: 0.5 }],
    ['more unstable sessions than sessions', { sessions: { total: 1, unstable: 2 } }],
    ['pair scores above one', { peers: { count: 1, pairScoreE4Sum: 10_001 } }],
    ['pair scores without peers', { peers: { count: 0, pairScoreE4Sum: 1 } }],
    [
      'more peers across organisations than peers',
      { peers: { count: 1, pairScoreE4Sum: 1, acrossOrgs: { count: 2, pairScoreE4Sum: 0 } } },
    ],
    [
      'pair scores above one within the organisation',
      { peers: { count: 2, pairScoreE4Sum: 10_001, acrossOrgs: { count: 1, pairScoreE4Sum: 0 } } },
    ],
    ['an adjustment that is not a number', { adjustmentE4: Number.NaN }],
    ['a time that is not a number', { nowMs: Number.NaN }],
    [
      'a violation without a valid time',
      { violations: [{ id: 'ic-1', sessionId: 's', timestampMs: Number.NaN, cardGap: false }] },
    ],
  ])('rejects %s instead of scoring it', (_, change) => {
    expect(() => componentScores(scoreInput(change))).toThrow(RangeError)
  })
})

describe('adjustmentPoints', () => {
  it.each([
    [5000, 1],
    [4999, 0],
    [-5000, 0],
    [-5001, -1],
    [1_266_500, 127],
  ])('of %i ten-thousandths are %i', (e4, points) => {
    expect(adjustmentPoints(e4)).toBe(points)
  })
})
