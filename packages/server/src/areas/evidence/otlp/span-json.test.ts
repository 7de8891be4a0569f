import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { MalformedRequest } from './span.ts'
import { spansOfJson } from './span-json.ts'

const request = (span: object) => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
const attribute = (value: object) => {
  const [read] = spansOfJson(request({ attributes: [{ key: 'k', value }] }))
  return read?.attributes.get('k')
}

describe('the JSON encoding', () => {
  it('accepts 64-bit numbers as text or number, and ids in either case', () => {
    const [read] = spansOfJson(
      request({ traceId: 'ABCDEF', endTimeUnixNano: '1794818997583691465', kind: 3 }),
    )
    expect(read).toMatchObject({ traceId: 'abcdef', endMs: 1_794_818_997_583, kind: 3 })
    expect(attribute({ intValue: '17' })).toBe(17)
    expect(attribute({ intValue: 17 })).toBe(17)
    expect(attribute({ intValue: '-9223372036854775808' })).toBe(-(2 ** 63))
  })

  it('ignores absent members, null and unknown names', () => {
    expect(spansOfJson({})).toEqual([])
    expect(spansOfJson({ resourceSpans: null, other: 1 })).toEqual([])
    const [read] = spansOfJson(request({ status: null, events: null, traceState: 'x', future: {} }))
    expect(read).toMatchObject({ name: '', events: [], failed: false, endMs: 0 })
    expect(attribute({ bytesValue: 'AAE=' })).toBeNull()
  })

  it('reads nested values', () => {
    const values = [{ stringValue: 'a' }, { boolValue: false }, { doubleValue: 'NaN' }]
    expect(attribute({ arrayValue: { values } })).toEqual(['a', false, Number.NaN])
    const members = [
      { key: 'x', value: { intValue: 1 } },
      { key: '__proto__', value: {} },
    ]
    expect(attribute({ kvlistValue: { values: members } })).toEqual(
      Object.fromEntries([
        ['x', 1],
        ['__proto__', null],
      ]),
    )
  })

  it.each([
    [[], 'the body must be an object'],
    [{ resourceSpans: {} }, '/resourceSpans must be a list'],
    [{ resourceSpans: ['x'] }, '/resourceSpans/0 must be an object'],
    [
      request({ traceId: 'xyz' }),
      '/resourceSpans/0/scopeSpans/0/spans/0/traceId must be hexadecimal digits',
    ],
    [
      request({ endTimeUnixNano: 1.5 }),
      '/resourceSpans/0/scopeSpans/0/spans/0/endTimeUnixNano must be a whole number, or one as text',
    ],
    [request({ name: 7 }), '/resourceSpans/0/scopeSpans/0/spans/0/name must be text'],
  ])('reports where %j is wrong', (given, message) => {
    expect(() => spansOfJson(given)).toThrow(new MalformedRequest(message))
  })

  it('is rejected or read, whatever it contains', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue(), (span, value) => {
        for (const given of [
          span,
          request({ attributes: [{ key: 'k', value }] }),
          request([span]),
        ]) {
          try {
            spansOfJson(given)
          } catch (err) {
            expect(err).toBeInstanceOf(MalformedRequest)
          }
        }
      }),
      runs(1000),
    )
  })
})
