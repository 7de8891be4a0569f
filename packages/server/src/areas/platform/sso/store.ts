import type { Generated } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Binding, IdentityProvider } from './metadata.ts'

/** The roles a first sign-in can give; nobody becomes an owner by signing in. */
export const JOINING_ROLES = ['admin', 'auditor', 'member'] as const
export type JoiningRole = (typeof JOINING_ROLES)[number]

/** Tables this feature owns. Nobody else reads or writes them. */
type SsoTables = {
  sso_config: ConfigRow & { closed: Generated<boolean> }
  sso_domain: { domain: string; org_id: string }
  sso_request: {
    request_id: string
    org_id: string
    return_to: string | null
    state: string | null
    expires_at: Date
  }
  sso_assertion: { org_id: string; assertion_id: string; expires_at: Date }
  sso_code: { code_hash: string; org_id: string; user_id: string; expires_at: Date }
}

type ConfigRow = {
  org_id: string
  metadata_url: string
  idp_name: string | null
  default_role: JoiningRole
  enforced: boolean
  entity_id: string
  sso_url: string
  binding: Binding
  certificates: string[]
  certificate_expires_at: Date
  created_at: Date
  updated_at: Date
}

export type SsoFields = {
  metadataUrl: string
  idpName: string | null
  defaultRole: JoiningRole
  /** In A-form, without duplicates, sorted. */
  allowedDomains: readonly string[]
  enforced: boolean
}

export type SsoConfig = SsoFields & {
  orgId: string
  provider: IdentityProvider
  createdAt: Date
  updatedAt: Date
}

export type PendingRequest = {
  requestId: string
  orgId: string
  returnTo: string | null
  /** Opaque value of the caller, returned with the code so that it recognises its own sign-in. */
  state: string | null
  expiresAt: Date
}

export function createSsoStore(db: Db) {
  const configs = createConfigQueries(db)
  const signIns = createSignInQueries(db)
  const deletions = createDeletionQueries(db)
  return {
    find: configs.find,
    findOpen: configs.findOpen,
    findOrgOfDomain: configs.findOrgOfDomain,
    listEnforced: configs.listEnforced,
    lock: configs.lock,
    save: configs.save,
    delete: configs.delete,
    setClosed: configs.setClosed,

    insertRequest: signIns.insertRequest,
    takeRequest: signIns.takeRequest,
    useAssertion: signIns.useAssertion,
    insertCode: signIns.insertCode,
    takeCode: signIns.takeCode,

    deleteExpired: deletions.deleteExpired,
    deleteAssertionsOf: deletions.deleteAssertionsOf,
  }
}

function createConfigQueries(db: Db) {
  const q = db.withTables<SsoTables>()
  const domainsOf = async (orgId: string): Promise<string[]> => {
    const rows = await q
      .selectFrom('sso_domain')
      .select('domain')
      .where('org_id', '=', orgId)
      .orderBy('domain')
      .execute()
    return rows.map((row) => row.domain)
  }
  return {
    async find(orgId: string): Promise<SsoConfig | undefined> {
      const row = await q
        .selectFrom('sso_config')
        .selectAll()
        .where('org_id', '=', orgId)
        .executeTakeFirst()
      return row && toConfig(row, await domainsOf(orgId))
    },

    /** Like `find`, and locks the row until the transaction ends. */
    async lock(orgId: string): Promise<SsoConfig | undefined> {
      const row = await q
        .selectFrom('sso_config')
        .selectAll()
        .where('org_id', '=', orgId)
        .forUpdate()
        .executeTakeFirst()
      return row && toConfig(row, await domainsOf(orgId))
    },

    /** A domain of another organisation violates `sso_domain_pkey`. */
    async save(config: SsoConfig): Promise<void> {
      const row = toRow(config)
      const { created_at: _, ...changed } = row
      await q
        .insertInto('sso_config')
        .values(row)
        .onConflict((c) => c.column('org_id').doUpdateSet(changed))
        .execute()
      await q.deleteFrom('sso_domain').where('org_id', '=', config.orgId).execute()
      await q
        .insertInto('sso_domain')
        .values(config.allowedDomains.map((domain) => ({ domain, org_id: config.orgId })))
        .execute()
    },

    /** Deletes pending requests, codes and domains by cascade. */
    async delete(orgId: string): Promise<void> {
      await q.deleteFrom('sso_config').where('org_id', '=', orgId).execute()
    },

    /** Like `find`, but not for a deleted organisation. */
    async findOpen(orgId: string): Promise<SsoConfig | undefined> {
      const row = await q
        .selectFrom('sso_config')
        .selectAll()
        .where('org_id', '=', orgId)
        .where('closed', '=', false)
        .executeTakeFirst()
      return row && toConfig(row, await domainsOf(orgId))
    },

    async findOrgOfDomain(domain: string): Promise<string | undefined> {
      const row = await q
        .selectFrom('sso_domain')
        .select('org_id')
        .where('domain', '=', domain)
        .executeTakeFirst()
      return row?.org_id
    },

    async listEnforced(orgIds: readonly string[]): Promise<string[]> {
      const rows = await q
        .selectFrom('sso_config')
        .select('org_id')
        .where('org_id', 'in', [...orgIds])
        .where('enforced', '=', true)
        .execute()
      return rows.map((row) => row.org_id)
    },

    async setClosed(orgId: string, closed: boolean): Promise<void> {
      await q.updateTable('sso_config').set({ closed }).where('org_id', '=', orgId).execute()
    },
  }
}

function createSignInQueries(db: Db) {
  const q = db.withTables<SsoTables>()
  return {
    async insertRequest(request: PendingRequest): Promise<void> {
      await q
        .insertInto('sso_request')
        .values({
          request_id: request.requestId,
          org_id: request.orgId,
          return_to: request.returnTo,
          state: request.state,
          expires_at: request.expiresAt,
        })
        .execute()
    },

    /** Deletes and returns the request, so that only one response to it is accepted. */
    async takeRequest(
      orgId: string,
      requestId: string,
      now: Date,
    ): Promise<PendingRequest | undefined> {
      const row = await q
        .deleteFrom('sso_request')
        .where('request_id', '=', requestId)
        .where('org_id', '=', orgId)
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

    async insertCode(code: {
      codeHash: string
      orgId: string
      userId: string
      expiresAt: Date
    }): Promise<void> {
      await q
        .insertInto('sso_code')
        .values({
          code_hash: code.codeHash,
          org_id: code.orgId,
          user_id: code.userId,
          expires_at: code.expiresAt,
        })
        .execute()
    },

    async takeCode(codeHash: string, now: Date): Promise<{ userId: string } | undefined> {
      const row = await q
        .deleteFrom('sso_code')
        .where('code_hash', '=', codeHash)
        .where('expires_at', '>', now)
        .returning('user_id')
        .executeTakeFirst()
      return row && { userId: row.user_id }
    },
  }
}

function createDeletionQueries(db: Db) {
  const q = db.withTables<SsoTables>()
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

function toRequest(row: SsoTables['sso_request']): PendingRequest {
  return {
    requestId: row.request_id,
    orgId: row.org_id,
    returnTo: row.return_to,
    state: row.state,
    expiresAt: row.expires_at,
  }
}

function toConfig(row: ConfigRow, allowedDomains: string[]): SsoConfig {
  return {
    orgId: row.org_id,
    metadataUrl: row.metadata_url,
    idpName: row.idp_name,
    defaultRole: row.default_role,
    allowedDomains,
    enforced: row.enforced,
    provider: {
      entityId: row.entity_id,
      ssoUrl: row.sso_url,
      binding: row.binding,
      certificates: row.certificates,
      certificateExpiresAt: row.certificate_expires_at,
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toRow(config: SsoConfig): ConfigRow {
  return {
    org_id: config.orgId,
    metadata_url: config.metadataUrl,
    idp_name: config.idpName,
    default_role: config.defaultRole,
    enforced: config.enforced,
    entity_id: config.provider.entityId,
    sso_url: config.provider.ssoUrl,
    binding: config.provider.binding,
    certificates: config.provider.certificates,
    certificate_expires_at: config.provider.certificateExpiresAt,
    created_at: config.createdAt,
    updated_at: config.updatedAt,
  }
}
