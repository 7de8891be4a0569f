import { describe, expect, it } from 'vitest'
import { countsAgainstScore, worstConcern } from './violation.ts'

describe('worstConcern', () => {
  it('is the first of the most severe', () => {
    const concerns = [
      { severity: 'medium', description: 'a' },
      { severity: 'high', description: 'b' },
      { severity: 'low', description: 'c' },
      { severity: 'high', description: 'd' },
    ]
    expect(worstConcern(concerns)?.description).toBe('b')
  })

  it('is undefined without concerns', () => {
    expect(worstConcern([])).toBeUndefined()
  })
})

describe('countsAgainstScore', () => {
  it.each([
    [false, null, true],
    [false, 'behavior_gap', true],
    [false, 'card_gap', false],
    [true, null, false],
    [true, 'behavior_gap', false],
  ] as const)('excluded %s and reclassified as %s: %s', (excluded, reclassifiedAs, counts) => {
    expect(countsAgainstScore({ excluded, reclassifiedAs })).toBe(counts)
  })
})
