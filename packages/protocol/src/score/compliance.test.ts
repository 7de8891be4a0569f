import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { complianceAfter, complianceScore, weighViolations } from './compliance.ts'
import {
  anyViolation,
  HOUR_MS,
  NOW_MS,
  readVectors,
  toViolation,
  type WireViolation,
} from './score-input.fixture.ts'

type Case = {
  name: string
  now: string
  violations: WireViolation[]
  counted: number
  sessions: number
  card_gaps: number
  compliance: number
}
const { cases } = readVectors<{ cases: Case[] }>('compliance')

const violation = (hours: number, sessionId: string, cardGap = false) => ({
  sessionId,
  timestampMs: NOW_MS - hours * HOUR_MS,
  cardGap,
})

describe('the published cases of compliance', () => {
  it.each(cases)('$name', ({ now, violations, ...expected }) => {
    const weighed = weighViolations(violations.map(toViolation), Date.parse(now))
    expect(weighed).toMatchObject({
      violations: expected.counted,
      sessions: expected.sessions,
      cardGaps: expected.card_gaps,
    })
    expect(complianceScore(weighed.impact)).toBe(expected.compliance)
  })
})

describe('weighViolations', () => {
  it('has the impacts of the specification', () => {
    const impact = (...violations: ReturnType<typeof violation>[]) =>
      weighViolations(violations, NOW_MS).impact
    expect(impact(violation(24, 's7'))).toBeCloseTo(0.9057, 4)
    expect(impact(violation(200, 's3'))).toBeCloseTo(0.4382, 4)
    expect(impact(violation(24, 's7'), violation(200, 's3'))).toBeCloseTo(1.3439, 4)
    expect(impact(violation(0, 'x'), violation(10, 'x'), violation(30, 'y'))).toBeCloseTo(1.8836, 4)
    expect(impact(violation(0, 'x'), violation(10, 'x'), violation(30, 'y', true))).toBe(1)
  })

  it('is bit-identical whatever the order of the violations', () => {
    const shuffled = fc
      .array(anyViolation, { maxLength: 12 })
      .chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
      )
    fc.assert(
      fc.property(shuffled, ([all, others]) => {
        expect(weighViolations(others, NOW_MS)).toEqual(weighViolations(all, NOW_MS))
      }),
    )
  })

  it('never decreases with another violation, nor increases with another card gap', () => {
    fc.assert(
      fc.property(fc.array(anyViolation, { maxLength: 12 }), anyViolation, (all, one) => {
        const { impact } = weighViolations(all, NOW_MS)
        const more = weighViolations([...all, { ...one, cardGap: false }], NOW_MS).impact
        expect(complianceScore(more)).toBeLessThanOrEqual(complianceScore(impact))
        expect(weighViolations([...all, { ...one, cardGap: true }], NOW_MS).impact).toBe(impact)
      }),
    )
  })

  it('does not count a session twice', () => {
    fc.assert(
      fc.property(fc.array(anyViolation, { maxLength: 12 }), (all) => {
        const { impact, sessions } = weighViolations(all, NOW_MS)
        expect(impact).toBeLessThanOrEqual(sessions)
      }),
    )
  })
})

describe('complianceAfter', () => {
  it('is the score on that day if nothing new happens', () => {
    const violations = [violation(24, 's7'), violation(200, 's3')]
    const after = (days: number) => complianceAfter(days, { violations, nowMs: NOW_MS })
    expect([0, 7, 14, 28, 56].map(after)).toEqual([279, 463, 648, 886, 992])
  })

  it('drops a violation on the day it turns 90 days old', () => {
    const violations = Array.from({ length: 200 }, (_, i) => violation(83 * 24, `s${i}`))
    const after = (days: number) => complianceAfter(days, { violations, nowMs: NOW_MS })
    expect([after(6), after(7)]).toEqual([957, 1000])
  })

  it('does not start to count violations that are in the future now', () => {
    const violations = [violation(-1, 's1')]
    expect(complianceAfter(7, { violations, nowMs: NOW_MS })).toBe(1000)
  })

  it('never decreases over time', () => {
    const days = fc.integer({ min: 0, max: 100 })
    fc.assert(
      fc.property(fc.array(anyViolation, { maxLength: 12 }), days, days, (violations, a, b) => {
        const after = (day: number) => complianceAfter(day, { violations, nowMs: NOW_MS })
        expect(after(Math.max(a, b))).toBeGreaterThanOrEqual(after(Math.min(a, b)))
      }),
    )
  })
})
