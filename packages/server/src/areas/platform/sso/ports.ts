import type { Role } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'

/** The way out, under the rules of 04 §5.2. */
export type Outbound = {
  /** Throws the Problem `url_not_allowed` for an address the rules refuse. */
  assertAllowed(url: string): Promise<void>
  /** Throws the same when only the connection shows it, and any other error when it fails. */
  get(url: string, limits: { timeoutMs: number; maxBytes: number }): Promise<Uint8Array>
}

export type People = {
  /** The person of this issuer and subject, with what is now known of them. */
  findOrCreate(
    tx: Db,
    person: {
      issuer: string
      subject: string
      email: string
      emailVerified: boolean
      name: string | null
      origin: Origin
    },
  ): Promise<{ userId: string }>
}

/** Where a request came from, for the audit log. */
export type Origin = { ip: string; requestId: string }

export type Memberships = {
  /** Throws the Problem `conflict` when the person is in already. */
  join(tx: Db, seat: { orgId: string; userId: string; role: Role }): Promise<unknown>
}

/** What signing in with a password answers, too (04 §2.4). */
export type TokenSet = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  user: { user_id: string; email: string | null }
}

export type Tokens = {
  /** Throws the Problem `not_found` when the person is gone. */
  tokensFor(userId: string): Promise<TokenSet>
  /** Ends the sessions of everybody this issuer vouches for. */
  revokeIssuer(tx: Db, issuer: string): Promise<void>
}

export type Plans = {
  /** False also for an organisation that was never there. */
  includesSso(orgId: string): Promise<boolean>
}
