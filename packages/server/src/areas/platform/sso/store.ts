import type { Db } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'

/** Tables of sign-ins under way. Nobody else reads or writes them. */
type SignInTables = {
  sso_request: {
    request_id: string
    org_id: string
    provider: string
    browser_hash: string
    nonce: string | null
    code_verifier: string | null
    return_to: string | null
    state: string | null
    expires_at: Date
  }
  sso_assertion: { org_id: string; assertion_id: string; expires_at: Date }
  sso_code: {
    code_hash: string
    org_id: string
    user_id: string
    browser_hash: string
    expires_at: Date
  }
}

export type PendingRequest = {
  /** The id of the SAML request, or the state of the OpenID Connect request. */
  requestId: string
  orgId: string
  /** The entity id or issuer that the request was sent to. */
  provider: string
  /** Hash of the cookie of the browser that started the sign-in. */
  browserHash: string
  /** Null for SAML, as is the PKCE code verifier. */
  nonce: string | null
  codeVerifier: string | null
  returnTo: string | null
  /** Opaque value of the caller, returned with the code so that it recognises its own sign-in. */
  state: string | null
  expiresAt: Date
}

export type SignInCode = { orgId: string; userId: string; browserHash: string }

export function createSsoStore(db: Db) {
  const signIns = createSignInQueries(db)
  const deletions = createDeletionQueries(db)
  return {
    insertRequest: signIns.insertRequest,
    takeRequest: signIns.takeRequest,
    useAssertion: signIns.useAssertion,
    insertCode: signIns.insertCode,
    takeCode: signIns.takeCode,

    deleteExpired: deletions.deleteExpired,
    deleteAssertionsOf: deletions.deleteAssertionsOf,
  }
}

function createSignInQueries(db: Db) {
  const q = db.withTables<SignInTables>()
  return {
    async insertRequest(request: PendingRequest): Promise<void> {
      await q
        .insertInto('sso_request')
        .values({
          request_id: request.requestId,
          org_id: request.orgId,
          provider: request.provider,
          browser_hash: request.browserHash,
          nonce: request.nonce,
          code_verifier: request.codeVerifier,
          return_to: request.returnTo,
          state: request.state,
          expires_at: request.expiresAt,
        })
        .execute()
    },

    /** Deletes and returns the request, so that only one response to it is accepted. */
    async takeRequest(
      of: { orgId: string; requestId: string; provider: string },
      now: Date,
    ): Promise<PendingRequest | undefined> {
      const row = await q
        .deleteFrom('sso_request')
        .where('request_id', '=', of.requestId)
        .where('org_id', '=', of.orgId)
        .where('provider', '=', of.provider)
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst()
      return row && toRequest(row)
    },

    /** Returns false if the assertion was used before. */
    async useAssertion(orgId: string, assertionId: string, expiresAt: Date): Promise<boolean> {
      const inserted = await q
        .insertInto('sso_assertion')
        .values({ org_id: orgId, assertion_id: assertionId, expires_at: expiresAt })
        .onConflict((c) => c.doNothing())
        .executeTakeFirst()
      return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1
    },

    async insertCode(code: SignInCode & { codeHash: string; expiresAt: Date }): Promise<void> {
      await q
        .insertInto('sso_code')
        .values({
          code_hash: code.codeHash,
          org_id: code.orgId,
          user_id: code.userId,
          browser_hash: code.browserHash,
          expires_at: code.expiresAt,
        })
        .execute()
    },

    async takeCode(codeHash: string, now: Date): Promise<SignInCode | undefined> {
      const row = await q
        .deleteFrom('sso_code')
        .where('code_hash', '=', codeHash)
        .where('expires_at', '>', now)
        .returning(['org_id', 'user_id', 'browser_hash'])
        .executeTakeFirst()
      return row && { orgId: row.org_id, userId: row.user_id, browserHash: row.browser_hash }
    },
  }
}

function createDeletionQueries(db: Db) {
  const q = db.withTables<SignInTables>()
  return {
    async deleteExpired(now: Date): Promise<number> {
      let deleted = 0
      for (const table of ['sso_request', 'sso_assertion', 'sso_code'] as const) {
        const result = await q.deleteFrom(table).where('expires_at', '<=', now).executeTakeFirst()
        deleted += Number(result.numDeletedRows)
      }
      return deleted
    },

    async deleteAssertionsOf(orgId: OrgId): Promise<void> {
      await q.deleteFrom('sso_assertion').where('org_id', '=', orgId).execute()
    },
  }
}

function toRequest(row: SignInTables['sso_request']): PendingRequest {
  return {
    requestId: row.request_id,
    orgId: row.org_id,
    provider: row.provider,
    browserHash: row.browser_hash,
    nonce: row.nonce,
    codeVerifier: row.code_verifier,
    returnTo: row.return_to,
    state: row.state,
    expiresAt: row.expires_at,
  }
}
