import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

/** Arbitrary JSON values, with keys and texts from all of Unicode. */
const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 5 })

describe('the output of canonicalJson', () => {
  it('matches the example of RFC 8785 §3.2.2', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('orders keys by UTF-16 code units, as RFC 8785 §3.2.3 requires', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6']
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']
    const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])))
    expect(text).toBe(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`)
  })

  it('orders keys that look like numbers as text', () => {
    expect(canonicalJson({ 10: 0, 9: 0, '-1': 0, a: 0 })).toBe('{"-1":0,"10":0,"9":0,"a":0}')
  })

  it.each([
    [0, '0'],
    [-0, '0'],
    [5e-324, '5e-324'],
    [-5e-324, '-5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [9007199254740992, '9007199254740992'],
    [295147905179352830000, '295147905179352830000'],
    [1e21, '1e+21'],
    [999999999999999900000, '999999999999999900000'],
    [1e-7, '1e-7'],
    [0.000001, '0.000001'],
    [333333333.3333332, '333333333.3333332'],
  ])('writes the number %s of RFC 8785 appendix B as %s', (number, text) => {
    expect(canonicalJson(number)).toBe(text)
  })
})

describe('the insertion order of keys', () => {
  /** Reverses the keys of the object and of its nested objects. */
  const reversed = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, member]) => [key, reversed(member)]),
        )

  it('does not affect the text', () => {
    fc.assert(
      fc.property(json, (value) => {
        const ordered = JSON.parse(canonicalJson(value))
        expect(canonicalJson(ordered)).toBe(canonicalJson(value))
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      }),
    )
  })

  it('does not hide a value that has no JSON form', () => {
    for (const value of [
      { a: 1, b: '\ud800' },
      { a: [undefined] },
      [Number.NaN],
      { a: new Date() },
    ]) {
      expect(() => canonicalJson(value)).toThrow(TypeError)
    }
    expect(canonicalJson({ a: '\\ud' })).toBe('{"a":"\\\\ud"}')
  })
})

describe('canonicalJson accepts', () => {
  it('keys with the value undefined and drops them, at any position', () => {
    expect(canonicalJson({ a: undefined, b: 1, c: undefined, d: {}, e: undefined })).toBe(
      '{"b":1,"d":{}}',
    )
    expect(canonicalJson({ a: undefined })).toBe('{}')
  })

  it('a key named __proto__ as data', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":2}}'))).toBe(
      '{"__proto__":{"x":2},"b":1}',
    )
  })

  it('objects without a prototype', () => {
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: [] }))).toBe(
      '{"a":[],"b":1}',
    )
  })
})

describe('canonicalJson rejects', () => {
  it.each([
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['negative infinity', Number.NEGATIVE_INFINITY],
    ['a lone high surrogate', 'x\ud800'],
    ['a lone low surrogate', '\udc00x'],
    ['surrogates in the wrong order', '\udc00\ud800'],
    ['a key with a lone surrogate', { '\ud83d': 1 }],
    ['a bigint', 1n],
    ['a function', () => 0],
    ['a symbol', Symbol('x')],
    ['undefined', undefined],
    ['an array holding undefined', [undefined]],
    ['an array with a hole', new Array(1)],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', new Uint8Array(2)],
    ['a boxed string', Object('x')],
  ])('%s instead of guessing a form', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
    expect(() => canonicalJson({ a: [value, 1] })).toThrow(TypeError)
  })

  it('lone surrogates only, not text that spells an escape sequence', () => {
    expect(canonicalJson('\\ud800')).toBe('"\\\\ud800"')
  })

  it('a circular value with a clear error', () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    expect(() => canonicalJson(circle)).toThrow('circular')
  })
})

describe('canonicalJson of an arbitrary value', () => {
  it('is the same for every order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), json), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse())
        expect(canonicalJson(reversed)).toBe(canonicalJson(object))
      }),
    )
  })

  it('parses back to the value and is its own canonical form', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value)
        // Normalised through JSON once, because JSON does not distinguish -0 from 0.
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('writes every string and number like JSON.stringify', () => {
    const text = fc.string({ unit: 'binary' })
    const number = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(fc.oneof(text, fc.string(), number, fc.integer()), (value) => {
        expect(canonicalJson(value)).toBe(JSON.stringify(value))
      }),
    )
  })
})

describe('the vectors of canonical JSON', () => {
  const url = new URL('../../../../vectors/canonical/canonical-json.json', import.meta.url)
  type Case = { name: string; text: string; canonical: string | null }
  const { cases }: { cases: Case[] } = JSON.parse(readFileSync(url, 'utf8'))

  it.each(cases)('hold for $name', ({ text, canonical }) => {
    if (canonical !== null) expect(canonicalJson(JSON.parse(text))).toBe(canonical)
    else expect(() => canonicalJson(JSON.parse(text))).toThrow()
  })
})
