import { canonicalJson } from '@touchstone/protocol/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergePatch } from './merge-patch.ts'

const json = fc.jsonValue({ maxDepth: 4 })
const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The pseudocode of RFC 7396 §2, without protection against prototypes or depth. */
function reference(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result = new Map(Object.entries(isObject(target) ? (target as object) : {}))
  for (const [key, value] of Object.entries(patch as object)) {
    if (value === null) result.delete(key)
    else result.set(key, reference(result.get(key), value))
  }
  return Object.fromEntries(result)
}

describe('the cases of RFC 7396, appendix A', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j patched with %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result)
  })
})

describe('mergePatch', () => {
  it('matches the pseudocode of the RFC', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        expect(canonicalJson(mergePatch(target, patch))).toBe(
          canonicalJson(reference(target, patch)),
        )
      }),
    )
  })

  it('is idempotent and never changes its arguments', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = [canonicalJson(target), canonicalJson(patch)]
        const once = mergePatch(target, patch)
        expect(canonicalJson(mergePatch(once, patch))).toBe(canonicalJson(once))
        expect([canonicalJson(target), canonicalJson(patch)]).toEqual(before)
      }),
    )
  })

  it('leaves an object unchanged if the patch is empty', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (target) => {
        expect(canonicalJson(mergePatch(target, {}))).toBe(canonicalJson(target))
      }),
    )
  })

  it('cannot pollute prototypes', () => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":{"b":1}}}',
    )
    const result = mergePatch({ a: {} }, patch)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(canonicalJson(result)).toBe(canonicalJson(patch))
    expect(canonicalJson(mergePatch(result, JSON.parse('{"__proto__":null}')))).toBe(
      '{"a":{"__proto__":{"b":1}},"constructor":{"prototype":{"polluted":true}}}',
    )
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })

  it('does not exhaust the stack on a deep patch', () => {
    const depth = 200_000
    const deep = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
    expect(() => mergePatch({}, deep)).not.toThrow()
  })
})
