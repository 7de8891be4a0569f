import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonText } from './json-text.ts'

describe('jsonText', () => {
  it('escapes what a terminal or a reader could misread', () => {
    expect(jsonText({ a: '\u001b[2J\u009b31m\u202e\u{e0001}' })).toBe(
      '{"a":"\\u001b[2J\\u009b31m\\u202e\\udb40\\udc01"}',
    )
    expect(jsonText({ a: ['Grüße\n'] }, 2)).toBe('{\n  "a": [\n    "Grüße\\n"\n  ]\n}')
  })

  it('keeps the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = jsonText(value, indent)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      }),
    )
  })
})
