import { componentScores, compositeScore, rate, type ScoreInput } from '@touchstone/protocol/score'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate } from './simulation.ts'

const NOW = Date.parse('2026-03-01T00:00:00Z')
const HOUR = 3_600_000

/** Example C (spec: reputation §1). */
const EXAMPLE: ScoreInput = {
  nowMs: NOW,
  checkpoints: { scored: 200, clear: 180, excluded: 0 },
  violations: [
    { sessionId: 'x', timestampMs: NOW, cardGap: false },
    { sessionId: 'x', timestampMs: NOW - 10 * HOUR, cardGap: false },
    { sessionId: 'y', timestampMs: NOW - 30 * HOUR, cardGap: false },
  ],
  sessions: { total: 16, unstable: 2 },
  tracesVerified: 230,
  peers: { count: 0, pairScoreE4Sum: 0 },
  adjustmentE4: 0,
}
const NOTHING = {
  add: { clear: 0, reviewNeeded: 0, boundaryViolation: 0, traces: 0 },
  cardGapIds: [],
  advanceDays: 0,
}
const REMAINING = { violations: EXAMPLE.violations, regained: 0 }

describe('simulate', () => {
  it('changes nothing when nothing happens', () => {
    expect(simulate(EXAMPLE, NOTHING, REMAINING)).toEqual(rate(EXAMPLE))
  })

  it('predicts the score of example C after the card gap', () => {
    const violations = EXAMPLE.violations.map((one) => ({ ...one, cardGap: one.sessionId === 'y' }))
    expect(simulate(EXAMPLE, NOTHING, REMAINING).score).toBe(751)
    expect(simulate(EXAMPLE, NOTHING, { violations, regained: 1 }).score).toBe(793)
  })

  it('makes an agent eligible when the added checkpoints reach the minimum', () => {
    const few = { ...EXAMPLE, checkpoints: { scored: 49, clear: 49, excluded: 0 } }
    const hypothesis = { ...NOTHING, add: { ...NOTHING.add, clear: 1 } }
    expect(rate(few).isEligible).toBe(false)
    expect(simulate(few, hypothesis, REMAINING).isEligible).toBe(true)
  })

  it('reduces the weight of violations as days pass', () => {
    const later = simulate(EXAMPLE, { ...NOTHING, advanceDays: 91 }, REMAINING)
    expect(later.components[1]?.score).toBe(1000)
  })

  it('never raises a score for violations, nor lowers it for clear checkpoints or traces', () => {
    const amounts = { min: 0, max: 500 }
    const before = compositeScore(componentScores(EXAMPLE))
    fc.assert(
      fc.property(fc.integer(amounts), fc.integer(amounts), (clear, boundaryViolation) => {
        const good = { ...NOTHING, add: { ...NOTHING.add, clear, traces: clear } }
        const bad = { ...NOTHING, add: { ...NOTHING.add, boundaryViolation } }
        expect(simulate(EXAMPLE, good, REMAINING).score).toBeGreaterThanOrEqual(before)
        expect(simulate(EXAMPLE, bad, REMAINING).score).toBeLessThanOrEqual(before)
      }),
    )
  })
})
