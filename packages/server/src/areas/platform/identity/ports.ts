import type { PublicJwk } from './claims.ts'

export type OwnKeys = {
  /** The public half of one of our own signing keys that may still have living tokens. */
  find(kid: string): Promise<PublicJwk | undefined>
}
