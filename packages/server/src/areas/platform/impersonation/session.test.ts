import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grantsAccess, hasEnded, isWellFormedToken, loggedPath, type Session } from './session.ts'

const session: Session = {
  sessionId: 'ais-1',
  adminUserId: 'user-admin',
  targetUserId: 'user-target',
  reason: 'a ticket',
  tokenHash: '',
  startedAt: new Date('2026-03-01T12:00:00.000Z'),
  expiresAt: new Date('2026-03-01T13:00:00.000Z'),
  endedAt: null,
}

describe('a session', () => {
  it('lasts until the instant it expires', () => {
    expect(hasEnded(session, new Date('2026-03-01T12:59:59.999Z'))).toBe(false)
    expect(hasEnded(session, new Date('2026-03-01T13:00:00.000Z'))).toBe(true)
  })

  it('has ended as soon as it is ended explicitly', () => {
    const ended = { ...session, endedAt: session.startedAt }
    expect(hasEnded(ended, session.startedAt)).toBe(true)
  })

  it('grants access only to its own administrator and only until it ends', () => {
    expect(grantsAccess(session, 'user-admin', session.startedAt)).toBe(true)
    expect(grantsAccess(session, 'user-other', session.startedAt)).toBe(false)
    expect(grantsAccess(session, 'user-admin', session.expiresAt)).toBe(false)
  })
})

describe('a token', () => {
  it('is 64 lower-case hexadecimal digits and nothing else', () => {
    expect(isWellFormedToken('0123456789abcdef'.repeat(4))).toBe(true)
    for (const bad of ['', 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
      expect(isWellFormedToken(bad)).toBe(false)
    }
  })
})

describe('a logged path', () => {
  it('is bounded and never holds a query or fragment', () => {
    expect(loggedPath('/v1/orgs/org-1/members?email=a@b.c#d')).toBe('/v1/orgs/org-1/members')
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (url) => {
        expect(loggedPath(url)).toMatch(/^[^?#]{0,500}$/)
        expect(url.startsWith(loggedPath(url))).toBe(true)
      }),
    )
  })
})
