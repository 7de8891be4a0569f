import type { Role } from '../../../access.ts'
import type { Actor } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'

/** Outgoing requests under the rules of spec: platform §5.2. */
export type Outbound = {
  /** Throws the Problem `url_not_allowed`, which names the field, for an address the rules refuse. */
  assertAllowed(url: string, field: string): Promise<void>
  /**
   * Throws an error without details for the caller if the resolved address is refused, the request
   * fails or the answer is longer than `maxBytes`. Redirects are not followed.
   */
  request(call: OutboundCall): Promise<{ status: number; body: Uint8Array }>
}

export type OutboundCall = {
  url: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
  maxBytes: number
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
  /** Changes the role of a member, and records it, unless the member is an owner. */
  assignRole(
    tx: Db,
    seat: { orgId: string; userId: string; role: Role; actor: Actor },
  ): Promise<void>
}

/** The client of a request, for the record of the session that begins. */
export type Device = { origin: Origin; network: string; userAgent: string | null }

/** The same answer as that of a sign-in with a password (spec: platform §2.4). */
export type TokenSet = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  user: { user_id: string; email: string | null }
}

/** Encrypts the client secret. */
export type Secrets = {
  seal(plain: string, purpose: string): string
  open(sealed: string, purpose: string): string
}

export type Tokens = {
  /** Throws the Problem `not_found` if the person was erased. */
  tokensFor(userId: string, device: Device): Promise<TokenSet>
  /** Revokes the sessions of all people of this issuer. */
  revokeIssuer(tx: Db, issuer: string): Promise<void>
}

export type Plans = {
  /** False for an unknown organisation, too. */
  includesSso(orgId: string): Promise<boolean>
}
