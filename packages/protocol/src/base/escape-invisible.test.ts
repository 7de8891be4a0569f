import { describe, expect, it } from 'vitest'
import { escapeInvisible } from './escape-invisible.ts'

describe('invisible characters', () => {
  it('are escaped, except for line breaks', () => {
    expect(escapeInvisible('a\u202eb\u200bc\u2028d\u{e0001}e\nf')).toBe(
      'a\\u202eb\\u200bc\\u2028d\\udb40\\udc01e\nf',
    )
  })

  it('are the same in JSON, escaped or not', () => {
    const value = { to: '\u202Emoc.elpmaxe\u0085' }
    expect(JSON.parse(escapeInvisible(JSON.stringify(value, null, 2)))).toEqual(value)
  })

  it('leave other text as it is', () => {
    const text = 'größer, 東京, עברית, 👍'
    expect(escapeInvisible(text)).toBe(text)
  })
})
