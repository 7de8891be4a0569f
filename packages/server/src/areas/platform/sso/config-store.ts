import { type Generated, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Protocol } from './issuer.ts'
import type { Binding, IdentityProvider } from './metadata.ts'
import type { JoiningRole, RoleMapping } from './roles.ts'

/** Tables of the configuration. Nobody else reads or writes them. */
type ConfigTables = {
  sso_config: ConfigRow & { closed: Generated<boolean> }
  sso_domain: { domain: string; org_id: string }
}

type ConfigRow = {
  org_id: string
  protocol: Protocol
  idp_name: string | null
  default_role: JoiningRole
  role_mapping: RoleMapping
  groups_claim: string
  enforced: boolean
  metadata_url: string | null
  entity_id: string | null
  sso_url: string | null
  binding: Binding | null
  certificates: string[] | null
  certificate_expires_at: Date | null
  issuer: string | null
  client_id: string | null
  client_secret: string | null
  scopes: string[] | null
  created_at: Date
  updated_at: Date
}

/** Settings that both protocols have. */
export type CommonFields = {
  idpName: string | null
  defaultRole: JoiningRole
  roleMapping: RoleMapping
  /** The claim, or for SAML the attribute, that lists a person's groups. */
  groupsClaim: string
  /** In A-form, without duplicates, sorted. */
  allowedDomains: readonly string[]
  enforced: boolean
}

export type SamlProvider = IdentityProvider & { protocol: 'saml'; metadataUrl: string }

export type OidcProvider = {
  protocol: 'oidc'
  issuer: string
  clientId: string
  /** Encrypted; null for a public client. */
  clientSecret: string | null
  scopes: readonly string[]
}

type Stored<P> = CommonFields & { orgId: string; provider: P; createdAt: Date; updatedAt: Date }
export type SamlConfig = Stored<SamlProvider>
export type OidcConfig = Stored<OidcProvider>
export type SsoConfig = Stored<SamlProvider | OidcProvider>

export function createConfigStore(db: Db) {
  const q = db.withTables<ConfigTables>()
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
      const row = {
        ...toRow(config),
        role_mapping: sql<RoleMapping>`${JSON.stringify(config.roleMapping)}::jsonb`,
      }
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

function toConfig(row: ConfigRow, allowedDomains: string[]): SsoConfig {
  return {
    orgId: row.org_id,
    idpName: row.idp_name,
    defaultRole: row.default_role,
    roleMapping: row.role_mapping,
    groupsClaim: row.groups_claim,
    allowedDomains,
    enforced: row.enforced,
    provider: row.protocol === 'saml' ? toSamlProvider(row) : toOidcProvider(row),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The table's check makes the columns of the row's protocol not null, which the types cannot say. */
function present<T>(value: T | null): T {
  if (value === null) throw new Error('a column of the SSO configuration is null')
  return value
}

function toSamlProvider(row: ConfigRow): SamlProvider {
  return {
    protocol: 'saml',
    metadataUrl: present(row.metadata_url),
    entityId: present(row.entity_id),
    ssoUrl: present(row.sso_url),
    binding: present(row.binding),
    certificates: present(row.certificates),
    certificateExpiresAt: present(row.certificate_expires_at),
  }
}

function toOidcProvider(row: ConfigRow): OidcProvider {
  return {
    protocol: 'oidc',
    issuer: present(row.issuer),
    clientId: present(row.client_id),
    clientSecret: row.client_secret,
    scopes: present(row.scopes),
  }
}

function toRow(config: SsoConfig): ConfigRow {
  const { provider } = config
  const saml = provider.protocol === 'saml' ? provider : undefined
  const oidc = provider.protocol === 'oidc' ? provider : undefined
  return {
    org_id: config.orgId,
    protocol: provider.protocol,
    idp_name: config.idpName,
    default_role: config.defaultRole,
    role_mapping: config.roleMapping,
    groups_claim: config.groupsClaim,
    enforced: config.enforced,
    metadata_url: saml?.metadataUrl ?? null,
    entity_id: saml?.entityId ?? null,
    sso_url: saml?.ssoUrl ?? null,
    binding: saml?.binding ?? null,
    certificates: saml?.certificates ?? null,
    certificate_expires_at: saml?.certificateExpiresAt ?? null,
    issuer: oidc?.issuer ?? null,
    client_id: oidc?.clientId ?? null,
    client_secret: oidc?.clientSecret ?? null,
    scopes: oidc === undefined ? null : [...oidc.scopes],
    created_at: config.createdAt,
    updated_at: config.updatedAt,
  }
}
