/** What a shown refresh token means (04 §2.4). */
export type HeldToken = { usedAt: Date | null; expiresAt: Date }

export type Verdict = 'valid' | 'reused' | 'over'

/**
 * A token used before means that two parties hold the session, and nobody can tell which of them
 * is the thief: the whole family ends, without a moment of tolerance.
 */
export function judgeRefresh(
  token: HeldToken,
  session: { revokedAt: Date | null },
  now: Date,
): Verdict {
  if (session.revokedAt !== null) return 'over'
  if (token.usedAt !== null) return 'reused'
  return token.expiresAt.getTime() > now.getTime() ? 'valid' : 'over'
}
