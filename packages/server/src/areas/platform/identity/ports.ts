import type { PublicJwk } from './claims.ts'

export type OwnKeys = {
  /** The public key of one of our own signing keys, while its tokens may still be valid. */
  find(kid: string): Promise<PublicJwk | undefined>
}

export type OwnSessions = {
  /** Whether the session that one of our own tokens belongs to has not ended. */
  isLive(sessionId: string, userId: string): Promise<boolean>
}
