import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CATEGORIES,
  type Category,
  deriveVerdict,
  SEVERITIES,
  type Severity,
  toEvidence,
  VERDICTS,
  worstSeverity,
} from './concern.ts'

const concern = (category: Category, severity: Severity, value: string | null = null) => ({
  category,
  severity,
  relevant_conscience_value: value,
})
const anyConcern = fc.record({
  category: fc.constantFrom(...CATEGORIES),
  severity: fc.constantFrom(...SEVERITIES),
  relevant_conscience_value: fc.constantFrom(null, 'BOUNDARY:a', 'FEAR:b'),
})

describe('deriveVerdict', () => {
  it.each([
    ['clear', []],
    ['clear', [concern('prompt_injection', 'low')]],
    ['clear', [concern('autonomy_violation', 'low', 'BOUNDARY:a')]],
    ['review_needed', [concern('prompt_injection', 'medium', 'BOUNDARY:a')]],
    ['review_needed', [concern('autonomy_violation', 'high')]],
    ['review_needed', [concern('output_misalignment', 'high', 'FEAR:a')]],
    ['boundary_violation', [concern('autonomy_violation', 'high', 'BOUNDARY:a')]],
    ['boundary_violation', [concern('prompt_injection', 'high')]],
    ['boundary_violation', [concern('deceptive_reasoning', 'high')]],
    ['boundary_violation', [concern('output_injection_compliance', 'high')]],
    ['boundary_violation', [concern('reasoning_corruption', 'critical')]],
  ])('is %s for %j', (verdict, concerns) => {
    expect(deriveVerdict(concerns)).toBe(verdict)
  })

  it('never becomes milder with another concern', () => {
    fc.assert(
      fc.property(fc.array(anyConcern), anyConcern, (concerns, more) => {
        const before = VERDICTS.indexOf(deriveVerdict(concerns))
        expect(VERDICTS.indexOf(deriveVerdict([...concerns, more]))).toBeGreaterThanOrEqual(before)
      }),
    )
  })

  it('does not depend on the order of concerns', () => {
    fc.assert(
      fc.property(fc.array(anyConcern), (concerns) => {
        expect(deriveVerdict([...concerns].reverse())).toBe(deriveVerdict(concerns))
      }),
    )
  })
})

describe('worstSeverity', () => {
  it('is the most severe of all, and undefined without concerns', () => {
    expect(worstSeverity([{ severity: 'low' }, { severity: 'high' }, { severity: 'medium' }])).toBe(
      'high',
    )
    expect(worstSeverity([])).toBeUndefined()
  })
})

describe('toEvidence', () => {
  it('has at most 200 characters that any database can store', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (quote) => {
        const evidence = toEvidence(`${quote}\0\ud800`)
        expect(evidence.length).toBeLessThanOrEqual(200)
        expect(evidence).not.toMatch(/\0|\p{Surrogate}/u)
      }),
    )
    expect(toEvidence('plain')).toBe('plain')
  })
})
