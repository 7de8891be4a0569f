import { describe, expect, it } from 'vitest'
import { shownArguments } from './call-arguments.ts'

describe('the arguments shown to approvers', () => {
  it('are canonical JSON', () => {
    expect(shownArguments({ b: 1, a: 'ü' })).toEqual({
      text: '{"a":"ü","b":1}',
      isTruncated: false,
    })
  })

  it('are cut after 32 KB, at a character', () => {
    const whole = { text: 'x'.repeat(32 * 1024 - 11) }
    expect(shownArguments(whole).isTruncated).toBe(false)
    const { text, isTruncated } = shownArguments({ text: `x${'🧾'.repeat(10_000)}` })
    expect(isTruncated).toBe(true)
    expect(Buffer.byteLength(text)).toBeGreaterThan(32 * 1024 - 4)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024)
    expect(text).not.toContain('\uFFFD')
  })
})
