import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { matchesGlob, patternCovers } from './glob.ts'
import { createPatternIndex } from './pattern-index.ts'

const LETTERS = ['a', 'b', 'ab', '__', '🔧']
const text = (letters: readonly string[]) =>
  fc.array(fc.constantFrom(...letters), { maxLength: 6 }).map((parts) => parts.join(''))
const patterns = fc.array(text([...LETTERS, '*', '*', '?']), { maxLength: 30 })

describe('an index over patterns', () => {
  it('finds the patterns that match a name, each once and in order', () => {
    fc.assert(
      fc.property(patterns, text(LETTERS), (all, name) => {
        const index = createPatternIndex(all.map((pattern, id) => ({ pattern, id })))
        const expected = all.flatMap((pattern, id) => (matchesGlob(pattern, name) ? [id] : []))
        expect(index.matching(name)).toEqual(expected)
      }),
      runs(1000),
    )
  })

  it('finds the patterns that cover a pattern', () => {
    fc.assert(
      fc.property(patterns, text([...LETTERS, '*', '?']), (all, covered) => {
        const index = createPatternIndex(all.map((pattern, id) => ({ pattern, id })))
        const expected = all.flatMap((pattern, id) => (patternCovers(pattern, covered) ? [id] : []))
        expect(index.covering(covered)).toEqual(expected)
      }),
      runs(1000),
    )
  })

  it('supports as many patterns as the largest policy has, nested as deep as possible', () => {
    const all = Array.from({ length: 256 }, (_, i) => `${'a'.repeat(i)}*`)
    const index = createPatternIndex(all.map((pattern, id) => ({ pattern, id })))
    expect(index.matching('a'.repeat(256))).toHaveLength(256)
    expect(index.matching('b')).toEqual([0])
  })

  it('finds the same within a sufficient effort, and reports if it was not sufficient', () => {
    fc.assert(
      fc.property(patterns, text([...LETTERS, '*', '?']), fc.nat(300), (all, covered, most) => {
        const index = createPatternIndex(all.map((pattern, id) => ({ pattern, id })))
        const effort = { left: most }
        const found = index.covering(covered, effort)
        const whole = index.covering(covered)
        if (effort.left >= 0) expect(found).toEqual(whole)
        expect(whole).toEqual(expect.arrayContaining([...found]))
      }),
    )
  })

  it('exceeds its effort by at most one comparison, however many patterns are left', () => {
    const all = Array.from({ length: 500 }, (_, i) => `*?${'a'.repeat(i % 100)}${'?'.repeat(99)}b*`)
    const index = createPatternIndex(all.map((pattern, id) => ({ pattern, id })))
    const effort = { left: 1000 }
    const comparison = 48 + 8 * 256 * Math.ceil(256 / 32)
    for (let i = 0; i < 100; i++) index.covering(`${'a'.repeat(255)}b`, effort)
    expect(effort.left).toBeLessThan(0)
    expect(effort.left).toBeGreaterThanOrEqual(-(comparison + all.length))
  })
})
