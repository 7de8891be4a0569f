import { describe, expect, it } from 'vitest'
import { isSetAside, THIN_FLAGS } from './thin-evidence.ts'

describe('isSetAside', () => {
  it.each(THIN_FLAGS)('sets a clear checkpoint with %s aside', (flag) => {
    expect(isSetAside([flag], 'clear')).toBe(true)
    expect(isSetAside(['uniform_timing', flag], 'clear')).toBe(true)
  })

  it.each(THIN_FLAGS)('never sets a finding aside for %s', (flag) => {
    expect(isSetAside([flag], 'review_needed')).toBe(false)
    expect(isSetAside([flag], 'boundary_violation')).toBe(false)
  })

  it('sets nothing aside for other flags', () => {
    expect(isSetAside([], 'clear')).toBe(false)
    expect(isSetAside(['uniform_timing', 'identical_content'], 'clear')).toBe(false)
  })
})
