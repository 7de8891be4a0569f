import type { ScoreInput } from '@touchstone/protocol/score'
import { describe, expect, it } from 'vitest'
import { adjustmentsFrom, gainOf, propagationOf } from './correction.ts'

const NOW_MS = Date.parse('2026-03-04T10:00:00.000Z')
const HOUR_MS = 3_600_000

/** Example C (spec: reputation §1) with the violation in session y as a card gap. */
const INPUT: ScoreInput = {
  nowMs: NOW_MS,
  checkpoints: { scored: 200, clear: 180, excluded: 0 },
  violations: [
    { sessionId: 'x', timestampMs: NOW_MS, cardGap: false },
    { sessionId: 'x', timestampMs: NOW_MS - 10 * HOUR_MS, cardGap: false },
    { sessionId: 'y', timestampMs: NOW_MS - 30 * HOUR_MS, cardGap: true },
  ],
  sessions: { total: 16, unstable: 1 },
  tracesVerified: 230,
  peers: { count: 0, pairScoreE4Sum: 0 },
  adjustmentE4: 0,
}
const EXCLUSION = {
  violations: [{ sessionId: 'y', timestampMs: NOW_MS - 30 * HOUR_MS }],
  sessionsRegained: 1,
}

describe('gainOf', () => {
  it('is the score with the exclusion minus the score without it', () => {
    expect(gainOf(INPUT, EXCLUSION)).toBe(793 - 751)
  })

  it('is 0 when nothing is newly excluded', () => {
    expect(gainOf(INPUT, { violations: [], sessionsRegained: 0 })).toBe(0)
  })

  it('is 0 for an agent that is not eligible', () => {
    const few = { ...INPUT, checkpoints: { scored: 49, clear: 30, excluded: 0 } }
    expect(gainOf(few, EXCLUSION)).toBe(0)
  })

  it('is 0 for a violation too old to have any weight', () => {
    const old = { sessionId: 'y', timestampMs: NOW_MS - 2161 * HOUR_MS }
    const input = { ...INPUT, violations: [{ ...old, cardGap: true }] }
    expect(gainOf(input, { violations: [old], sessionsRegained: 0 })).toBe(0)
  })
})

describe('adjustmentsFrom', () => {
  const reached = [
    { agentId: 'b', hop: 1 },
    { agentId: 'c', hop: 2 },
  ]

  it('reduces the points by the number of hops', () => {
    const adjustments = adjustmentsFrom(149, reached)
    expect(adjustments.map(({ pointsE4 }) => pointsE4)).toEqual([1_266_500, 1_076_525])
    expect(propagationOf(adjustments)).toEqual({ agentsAffected: 2, maxDepth: 2 })
  })

  it.each([0, -20])('passes on no points for a gain of %i', (gain) => {
    expect(adjustmentsFrom(gain, reached)).toEqual([])
    expect(propagationOf([])).toEqual({ agentsAffected: 0, maxDepth: 0 })
  })
})
