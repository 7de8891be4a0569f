import { describe, expect, it } from 'vitest'
import { judgeRefresh } from './refresh.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const later = new Date('2026-03-02T12:00:00.000Z')
const session = { revokedAt: null }

describe('judgeRefresh', () => {
  it('accepts an unused token of a session that is not revoked', () => {
    expect(judgeRefresh({ usedAt: null, expiresAt: later }, session, now)).toBe('valid')
  })

  it('refuses a token at the instant it expires', () => {
    expect(judgeRefresh({ usedAt: null, expiresAt: now }, session, now)).toBe('expired')
  })

  it('detects reuse even at the instant of the first use', () => {
    expect(judgeRefresh({ usedAt: now, expiresAt: later }, session, now)).toBe('reused')
  })

  it('reports no reuse for a session that is already revoked', () => {
    const revoked = { revokedAt: now }
    expect(judgeRefresh({ usedAt: now, expiresAt: later }, revoked, now)).toBe('expired')
  })
})
