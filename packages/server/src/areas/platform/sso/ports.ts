import type { Role } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'

/** Outgoing requests under the rules of spec: platform §5.2. */
export type Outbound = {
  /** Throws the Problem `url_not_allowed` for an address the rules refuse. */
  assertAllowed(url: string): Promise<void>
  /** Throws the same Problem if the resolved address is refused, and another error if it fails. */
  get(url: string, limits: { timeoutMs: number; maxBytes: number }): Promise<Uint8Array>
}

export type People = {
  /** The person with this issuer and subject, with an updated profile. */
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

/** Origin of a request, for the audit log. */
export type Origin = { ip: string; requestId: string }

export type Memberships = {
  /** Throws the Problem `conflict` if the person is a member already. */
  join(tx: Db, seat: { orgId: string; userId: string; role: Role }): Promise<unknown>
}

/** The same answer as that of a sign-in with a password (spec: platform §2.4). */
export type TokenSet = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  user: { user_id: string; email: string | null }
}

export type Tokens = {
  /** Throws the Problem `not_found` if the person was erased. */
  tokensFor(userId: string): Promise<TokenSet>
  /** Revokes the sessions of all people of this issuer. */
  revokeIssuer(tx: Db, issuer: string): Promise<void>
}

export type Plans = {
  /** False for an unknown organisation, too. */
  includesSso(orgId: string): Promise<boolean>
}
