import { sql } from 'kysely'
import type { KeyClient, Scope } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'
import { type AgentId, type OrgId, toOrgId } from '../../../kernel/ids.ts'
import type { KeyRole } from './ceiling.ts'

type KeyTables = {
  api_key: {
    key_id: string
    org_id: string
    account_id: string
    name: string
    key_hash: string
    key_prefix: string
    role: KeyRole
    scopes: Scope[]
    client: KeyClient
    mode: KeyMode
    agent_id: string | null
    allowed_ips: string[]
    created_by: string
    created_at: Date
    expires_at: Date | null
    last_used_at: Date | null
    revoked_at: Date | null
  }
  api_key_former: { key_hash: string; key_id: string; works_until: Date }
}

/** In mode observe the holder of the key records decisions and does not stop calls. */
export const KEY_MODES = ['enforce', 'observe'] as const
export type KeyMode = (typeof KEY_MODES)[number]

export type ApiKey = {
  keyId: string
  orgId: OrgId
  accountId: string
  name: string
  hash: string
  prefix: string
  role: KeyRole
  scopes: readonly Scope[]
  client: KeyClient
  mode: KeyMode
  /** The only agent that the key can be used for. */
  agentId: string | null
  /** Ranges that the key can be used from, in CIDR notation; empty for any address. */
  allowedIps: readonly string[]
  createdBy: string
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
}

/** A key found by one of its secrets; `worksUntil` is set if that secret was rotated out. */
export type Recognised = ApiKey & { worksUntil: Date | null }

type RevokedKeys =
  | { keyId: string }
  | { agentIds: readonly string[] }
  | { orgId: string; createdBy?: string }

export type KeySelection = { orgId: string } | { createdBy: string; orgIds: readonly string[] }

export function createKeyStore(db: Db) {
  const q = db.withTables<KeyTables>()
  const selectUnrevoked = () =>
    q.selectFrom('api_key').selectAll('api_key').where('revoked_at', 'is', null)
  return {
    async insert(key: ApiKey): Promise<void> {
      await q
        .insertInto('api_key')
        .values({ ...toRow(key), revoked_at: null })
        .execute()
    },

    /** Finds a key by its current or a former secret; the caller checks whether it has expired. */
    async findByHash(hash: string): Promise<Recognised | undefined> {
      const row = await selectUnrevoked().where('key_hash', '=', hash).executeTakeFirst()
      if (row !== undefined) return { ...toKey(row), worksUntil: null }
      const former = await selectUnrevoked()
        .innerJoin('api_key_former', 'api_key_former.key_id', 'api_key.key_id')
        .select('api_key_former.works_until')
        .where('api_key_former.key_hash', '=', hash)
        .executeTakeFirst()
      return former && { ...toKey(former), worksUntil: former.works_until }
    },

    async insertFormer(keyId: string, hash: string, worksUntil: Date): Promise<void> {
      await q
        .insertInto('api_key_former')
        .values({ key_hash: hash, key_id: keyId, works_until: worksUntil })
        .execute()
    },

    async deleteFormers(keyId: string): Promise<void> {
      await q.deleteFrom('api_key_former').where('key_id', '=', keyId).execute()
    },

    async find(keyId: string): Promise<ApiKey | undefined> {
      const row = await selectUnrevoked().where('key_id', '=', keyId).forUpdate().executeTakeFirst()
      return row && toKey(row)
    },

    /** Oldest first. */
    async list(selection: KeySelection): Promise<ApiKey[]> {
      const rows =
        'orgId' in selection
          ? selectUnrevoked().where('org_id', '=', selection.orgId)
          : selectUnrevoked()
              .where('created_by', '=', selection.createdBy)
              .where('org_id', '=', sql<string>`any(${selection.orgIds})`)
      return (await rows.orderBy('created_at').orderBy('key_id').execute()).map(toKey)
    },

    /** Keys that are bound to an agent do not count. */
    async countActive(orgId: string, now: Date): Promise<number> {
      const row = await q
        .selectFrom('api_key')
        .select(sql<number>`count(*)`.as('total'))
        .where('org_id', '=', orgId)
        .where('agent_id', 'is', null)
        .where('revoked_at', 'is', null)
        .where((is) => is.or([is('expires_at', 'is', null), is('expires_at', '>', now)]))
        .executeTakeFirstOrThrow()
      return row.total
    },

    async update(key: ApiKey): Promise<void> {
      await q.updateTable('api_key').set(toRow(key)).where('key_id', '=', key.keyId).execute()
    },

    /** Returns the ids of the keys it revoked. */
    async revoke(where: RevokedKeys, now: Date) {
      let rows = q.updateTable('api_key').set({ revoked_at: now }).where('revoked_at', 'is', null)
      if ('keyId' in where) rows = rows.where('key_id', '=', where.keyId)
      else if ('agentIds' in where) {
        rows = rows.where('agent_id', '=', sql<string>`any(${where.agentIds})`)
      } else {
        rows = rows.where('org_id', '=', where.orgId)
        if (where.createdBy !== undefined) rows = rows.where('created_by', '=', where.createdBy)
      }
      return (await rows.returning('key_id').execute()).map((row) => row.key_id)
    },

    async touch(keyId: string, now: Date, unlessSince: Date): Promise<void> {
      await q
        .updateTable('api_key')
        .set({ last_used_at: now })
        .where('key_id', '=', keyId)
        .where((is) =>
          is.or([is('last_used_at', 'is', null), is('last_used_at', '<', unlessSince)]),
        )
        .execute()
    },

    /** Returns the ids of the keys it deleted. */
    async deleteOfAgent(agentId: AgentId): Promise<string[]> {
      const rows = q.deleteFrom('api_key').where('agent_id', '=', agentId).returning('key_id')
      return (await rows.execute()).map((row) => row.key_id)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await q.deleteFrom('api_key').where('org_id', '=', orgId).execute()
    },
  }
}

function toKey(row: KeyTables['api_key']): ApiKey {
  return {
    keyId: row.key_id,
    orgId: toOrgId(row.org_id),
    accountId: row.account_id,
    name: row.name,
    hash: row.key_hash,
    prefix: row.key_prefix,
    role: row.role,
    scopes: row.scopes,
    client: row.client,
    mode: row.mode,
    agentId: row.agent_id,
    allowedIps: row.allowed_ips,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }
}

function toRow(key: ApiKey): Omit<KeyTables['api_key'], 'revoked_at'> {
  return {
    key_id: key.keyId,
    org_id: key.orgId,
    account_id: key.accountId,
    name: key.name,
    key_hash: key.hash,
    key_prefix: key.prefix,
    role: key.role,
    scopes: [...key.scopes],
    client: key.client,
    mode: key.mode,
    agent_id: key.agentId,
    allowed_ips: [...key.allowedIps],
    created_by: key.createdBy,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
  }
}
