export type RefreshToken = { usedAt: Date | null; expiresAt: Date }

export type Verdict = 'valid' | 'reused' | 'expired'

/**
 * Refresh tokens are single-use (spec: platform §2.4). A reused token means that two parties hold
 * the session and that either may be the thief, so the whole session is revoked, without a
 * tolerance window.
 */
export function judgeRefresh(
  token: RefreshToken,
  session: { revokedAt: Date | null },
  now: Date,
): Verdict {
  if (session.revokedAt !== null) return 'expired'
  if (token.usedAt !== null) return 'reused'
  return token.expiresAt.getTime() > now.getTime() ? 'valid' : 'expired'
}
