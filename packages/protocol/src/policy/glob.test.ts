import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { createGlob, fits, isToolPattern, matchesGlob, patternCovers } from './glob.ts'
import { wildcardFits, wildcardParts } from './wildcard-glob.ts'

/** The specification implemented literally with backtracking; far too slow for real use. */
function reference(pattern: readonly string[], name: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return name.length === 0
  if (first === '*') {
    return reference(rest, name) || (name.length > 0 && reference(pattern, name.slice(1)))
  }
  return name.length > 0 && (first === '?' || first === name[0]) && reference(rest, name.slice(1))
}

/** Few letters, so that patterns match often; one of them takes two code units. */
const LETTERS = ['a', 'b', '🔧']
const text = (letters: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { maxLength })
const pattern = text([...LETTERS, '*', '?', '*'], 8)
const name = text(LETTERS, 8)

describe('a pattern', () => {
  it('matches what the reference implementation matches', () => {
    fc.assert(
      fc.property(pattern, name, (p, n) => {
        expect(matchesGlob(p.join(''), n.join(''))).toBe(reference(p, n))
      }),
      runs(3000),
    )
  })

  it('without wildcards matches only itself', () => {
    const plain = fc.string({ unit: 'binary', minLength: 1 }).filter((t) => !/[*?]/.test(t))
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        expect(matchesGlob(a, a)).toBe(true)
        expect(matchesGlob(a, b)).toBe(a === b)
      }),
    )
  })

  it('covers a pattern only if it matches every name that the other matches', () => {
    fc.assert(
      fc.property(pattern, pattern, name, (covering, covered, n) => {
        fc.pre(patternCovers(covering.join(''), covered.join('')))
        if (reference(covered, n)) expect(reference(covering, n)).toBe(true)
      }),
      runs(3000),
    )
  })

  it('covers itself, and a star covers everything', () => {
    fc.assert(
      fc.property(pattern, (p) => {
        expect(patternCovers(p.join(''), p.join(''))).toBe(true)
        expect(patternCovers('*', p.join(''))).toBe(true)
      }),
    )
  })

  it.each([
    ['?', '*', false],
    ['??', '?*', false],
    ['*?', '*a', true],
    ['*?', '*', false],
    ['a*?b*', 'a*b', false],
  ])('%s covers %s: %s', (covering, covered, covers) => {
    expect(patternCovers(covering, covered)).toBe(covers)
  })

  it('matches a star in a name with a question mark, because there it is a literal character', () => {
    expect(matchesGlob('a?c', 'a*c')).toBe(true)
    expect(matchesGlob('*b?d*', 'ab*d')).toBe(true)
  })

  it('supports parts longer than a machine word', () => {
    const part = `${'a?'.repeat(40)}b`
    const glob = createGlob(`*${part}*`)
    expect(glob.matches(`${'a'.repeat(200)}b`)).toBe(true)
    expect(glob.matches('a'.repeat(200))).toBe(false)
    expect(glob.matches(`${'ac'.repeat(40)}b`)).toBe(true)
    expect(glob.matches(`${'ca'.repeat(40)}b`)).toBe(false)
  })
})

describe('the cost of a match', () => {
  const hostile = ['a', 'a', 'a', '?', '*', 'b']

  it('with question marks reads each character of a name at most twice', () => {
    fc.assert(
      fc.property(text(hostile, 60), text(['a'], 200), (p, n) => {
        const points = n.map(() => 0x61)
        let looks = 0
        const counting = new Proxy(points, {
          get(target, key, receiver) {
            if (key !== 'length') looks++
            return Reflect.get(target, key, receiver)
          },
        })
        wildcardFits(wildcardParts(p.join('')), counting, 'name')
        expect(looks).toBeLessThanOrEqual(2 * n.length)
      }),
      runs(500),
    )
  })

  it('without question marks is one search per part, each starting where the last one ended', () => {
    fc.assert(
      fc.property(text(['a', 'a', '*', 'b'], 60), text(['a', 'b'], 200), (p, n) => {
        const whole = n.join('')
        const parts = ['', ...p.join('').split('*'), '']
        let searches = 0
        let reached = 0
        const counting = {
          length: whole.length,
          startsWith: (part: string) => whole.startsWith(part),
          endsWith: (part: string) => whole.endsWith(part),
          indexOf(part: string, from = 0) {
            searches++
            expect(from).toBeGreaterThanOrEqual(reached)
            const found = whole.indexOf(part, from)
            reached = found + part.length
            return found
          },
        }
        fits(parts, counting)
        expect(searches).toBeLessThanOrEqual(parts.length)
      }),
      runs(500),
    )
  })
})

describe('isToolPattern', () => {
  it.each([
    ['mcp__fs__*', true],
    ['téol🔧', true],
    ['x'.repeat(256), true],
    ['🔧'.repeat(256), true],
    ['x'.repeat(257), false],
    ['', false],
    ['a b', false],
    ['a\u00a0b', false],
    ['a\tb', false],
    ['a\u0000b', false],
    ['a\u0085b', false],
    ['a\ud800b', false],
  ])('%j: %s', (candidate, valid) => {
    expect(isToolPattern(candidate)).toBe(valid)
  })
})
