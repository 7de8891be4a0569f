import { describe, expect, it } from 'vitest'
import { fromLocalInput, toLocalInput } from './local-input.ts'

describe('a time', () => {
  it('survives the input in the time zone of the reader', () => {
    const at = '2026-11-18T14:35:00.000Z'
    expect(fromLocalInput(toLocalInput(at))).toBe(at)
    expect(toLocalInput(undefined)).toBe('')
    expect(fromLocalInput('')).toBeUndefined()
  })
})
