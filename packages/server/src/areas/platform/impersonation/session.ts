/** An administrator's time-limited, read-only access as another user (spec: platform §4.5). */
export type Session = {
  sessionId: string
  adminUserId: string
  targetUserId: string
  reason: string
  tokenHash: string
  startedAt: Date
  expiresAt: Date
  endedAt: Date | null
}

export function hasEnded(session: Session, now: Date): boolean {
  return session.endedAt !== null || session.expiresAt <= now
}

/** Only the administrator who started a session can use its token, and only until it ends. */
export function grantsAccess(session: Session, adminUserId: string, now: Date): boolean {
  return session.adminUserId === adminUserId && !hasEnded(session, now)
}

/** Malformed tokens are refused without a database query. */
export function isWellFormedToken(token: string): boolean {
  return /^[0-9a-f]{64}$/.test(token)
}

const PATH_LENGTH_MAX = 500

/**
 * The path as recorded in the audit log. Queries may contain text people typed, so they are cut
 * off.
 */
export function loggedPath(url: string): string {
  return (url.split(/[?#]/, 1)[0] ?? '').slice(0, PATH_LENGTH_MAX)
}
