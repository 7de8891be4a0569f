import { describe, expect, it } from 'vitest'
import { judgeRefresh } from './refresh.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const later = new Date('2026-03-02T12:00:00.000Z')
const living = { revokedAt: null }

describe('judgeRefresh', () => {
  it('takes an unused token of a living session', () => {
    expect(judgeRefresh({ usedAt: null, expiresAt: later }, living, now)).toBe('valid')
  })

  it('refuses a token in the very moment it expires', () => {
    expect(judgeRefresh({ usedAt: null, expiresAt: now }, living, now)).toBe('over')
  })

  it('sees a second use even in the same moment', () => {
    expect(judgeRefresh({ usedAt: now, expiresAt: later }, living, now)).toBe('reused')
  })

  it('says no more of a session that has ended', () => {
    expect(judgeRefresh({ usedAt: now, expiresAt: later }, { revokedAt: now }, now)).toBe('over')
  })
})
