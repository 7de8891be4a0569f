import { describe, expect, it } from 'vitest'
import { isSpokenOf, type Nudging, nudgeMessage } from './nudge.ts'

const nudging = (given: Partial<Nudging>): Nudging => ({
  strategy: 'always',
  rate: 100,
  threshold: 3,
  ...given,
})
const share = (rate: number): number => {
  const ids = Array.from({ length: 2000 }, (_, n) => `ndg-${n}`)
  const setting = nudging({ strategy: 'sampling', rate })
  return ids.filter((nudgeId) => isSpokenOf(setting, { nudgeId, notClear: 1 })).length / ids.length
}

describe('a checkpoint that is not clear', () => {
  it('is always spoken of, or never', () => {
    const about = { nudgeId: 'ndg-1', notClear: 1 }
    expect(isSpokenOf(nudging({}), about)).toBe(true)
    expect(isSpokenOf(nudging({ strategy: 'off' }), about)).toBe(false)
  })

  it('is spoken of from the n-th of its session on', () => {
    const setting = nudging({ strategy: 'threshold', threshold: 3 })
    const spoken = [1, 2, 3, 4].map((notClear) =>
      isSpokenOf(setting, { nudgeId: 'ndg-1', notClear }),
    )
    expect(spoken).toEqual([false, false, true, true])
  })

  it('is spoken of as often as the rate says: never at 0, always at 100', () => {
    expect(share(0)).toBe(0)
    expect(share(100)).toBe(1)
    expect(Math.abs(share(30) - 0.3)).toBeLessThan(0.05)
  })

  it('is named in one line by type and severity', () => {
    const about = { violationType: 'FORBIDDEN_ACTION', severity: 'critical' }
    expect(nudgeMessage({ verdict: 'boundary_violation', ...about })).toBe(
      'Integrity violation FORBIDDEN_ACTION, severity critical.',
    )
    expect(nudgeMessage({ verdict: 'review_needed', ...about })).toBe(
      'Review needed: FORBIDDEN_ACTION, severity critical.',
    )
    expect(
      nudgeMessage({ verdict: 'boundary_violation', violationType: null, severity: null }),
    ).toBe('Integrity violation ANALYSIS_FAILED, severity unknown.')
  })
})
