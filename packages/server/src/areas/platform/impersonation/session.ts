/** One administrator seeing the service as one user does, for a time (04 §4.5). */
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

export function isOver(session: Session, now: Date): boolean {
  return session.endedAt !== null || session.expiresAt <= now
}

/** A token opens only its own administrator's session, and only while that lasts. */
export function opens(session: Session, adminUserId: string, now: Date): boolean {
  return session.adminUserId === adminUserId && !isOver(session, now)
}

/** Anything else is refused without a look into the database. */
export function isWellFormedToken(token: string): boolean {
  return /^[0-9a-f]{64}$/.test(token)
}

const PATH_LENGTH_MAX = 500

/** What the audit log keeps of an address: queries may hold what people typed, so they are left out. */
export function loggedPath(url: string): string {
  return (url.split(/[?#]/, 1)[0] ?? '').slice(0, PATH_LENGTH_MAX)
}
