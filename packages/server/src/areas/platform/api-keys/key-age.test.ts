import { describe, expect, it } from 'vitest'
import { expiryOf, isUnused } from './key-age.ts'

const at = (day: string) => new Date(`${day}T00:00:00.000Z`)

describe('isUnused', () => {
  it('counts 90 days from the last use', () => {
    const key = { createdAt: at('2025-01-01'), lastUsedAt: at('2026-01-01') }
    expect(isUnused(key, at('2026-03-31'))).toBe(false)
    expect(isUnused(key, at('2026-04-01'))).toBe(true)
  })

  it('counts from the creation of a key that was never used', () => {
    expect(isUnused({ createdAt: at('2026-01-01'), lastUsedAt: null }, at('2026-04-01'))).toBe(true)
  })
})

describe('expiryOf', () => {
  it('is a year, unless the key is for an agent or says otherwise', () => {
    expect(expiryOf({ expiresInDays: undefined, agentId: undefined })).toBe(365)
    expect(expiryOf({ expiresInDays: undefined, agentId: 'desk' })).toBeNull()
    expect(expiryOf({ expiresInDays: 30, agentId: 'desk' })).toBe(30)
    expect(expiryOf({ expiresInDays: null, agentId: undefined })).toBeNull()
  })
})
