import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type AgentId, type OrgId, toOrgId } from '../../../kernel/ids.ts'
import type { ModelProvider } from '../../../model-turn.ts'
import type { Connection, ConnectionMode, OnContained, OnError } from './connection.ts'

type ConnectionTables = {
  model_connection: {
    org_id: string
    connection_id: string
    agent_id: string
    account_id: string
    name: string
    provider: ModelProvider
    upstream_url: string | null
    sealed_credential: string | null
    on_contained: OnContained
    on_error: OnError
    mode: ConnectionMode
    token_hash: string
    token_prefix: string
    created_by: string
    created_at: Date
    last_used_at: Date | null
    revoked_at: Date | null
  }
  model_connection_former: {
    token_hash: string
    org_id: string
    connection_id: string
    works_until: Date
  }
}

/** A connection found by one of its tokens; `worksUntil` is set if that token was rotated out. */
export type Recognised = Connection & { worksUntil: Date | null }

type Selection = { orgId: string; agentId: string }

export function createConnectionStore(db: Db) {
  const q = db.withTables<ConnectionTables>()
  const selectUnrevoked = () =>
    q.selectFrom('model_connection').selectAll('model_connection').where('revoked_at', 'is', null)
  return {
    async insert(connection: Connection): Promise<void> {
      await q
        .insertInto('model_connection')
        .values({ ...toRow(connection), revoked_at: null })
        .execute()
    },

    /** Finds a connection by its current or a former token; the caller checks the grace. */
    async findByHash(hash: string): Promise<Recognised | undefined> {
      const row = await selectUnrevoked().where('token_hash', '=', hash).executeTakeFirst()
      if (row !== undefined) return { ...toConnection(row), worksUntil: null }
      const former = await selectUnrevoked()
        .innerJoin('model_connection_former as former', (join) =>
          join
            .onRef('former.org_id', '=', 'model_connection.org_id')
            .onRef('former.connection_id', '=', 'model_connection.connection_id'),
        )
        .select('former.works_until')
        .where('former.token_hash', '=', hash)
        .executeTakeFirst()
      return former && { ...toConnection(former), worksUntil: former.works_until }
    },

    /** Locks the row until the transaction ends. */
    async find(of: Selection, connectionId: string): Promise<Connection | undefined> {
      const row = await selectUnrevoked()
        .where('org_id', '=', of.orgId)
        .where('agent_id', '=', of.agentId)
        .where('connection_id', '=', connectionId)
        .forUpdate()
        .executeTakeFirst()
      return row && toConnection(row)
    },

    /** Oldest first. */
    async list({ orgId, agentId }: Selection): Promise<Connection[]> {
      const rows = selectUnrevoked().where('org_id', '=', orgId).where('agent_id', '=', agentId)
      return (await rows.orderBy('created_at').orderBy('connection_id').execute()).map(toConnection)
    },

    async countActive({ orgId, agentId }: Selection): Promise<number> {
      const row = await q
        .selectFrom('model_connection')
        .select(sql<number>`count(*)`.as('total'))
        .where('org_id', '=', orgId)
        .where('agent_id', '=', agentId)
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow()
      return row.total
    },

    async update(connection: Connection): Promise<void> {
      await q
        .updateTable('model_connection')
        .set(toRow(connection))
        .where('org_id', '=', connection.orgId)
        .where('connection_id', '=', connection.connectionId)
        .execute()
    },

    async insertFormer(
      { orgId, connectionId, tokenHash }: Connection,
      worksUntil: Date,
    ): Promise<void> {
      await q
        .insertInto('model_connection_former')
        .values({
          token_hash: tokenHash,
          org_id: orgId,
          connection_id: connectionId,
          works_until: worksUntil,
        })
        .execute()
    },

    async deleteFormers({ orgId, connectionId }: Connection): Promise<void> {
      await q
        .deleteFrom('model_connection_former')
        .where('org_id', '=', orgId)
        .where('connection_id', '=', connectionId)
        .execute()
    },

    async revoke({ orgId, connectionId }: Connection, now: Date): Promise<void> {
      await q
        .updateTable('model_connection')
        .set({ revoked_at: now, sealed_credential: null })
        .where('org_id', '=', orgId)
        .where('connection_id', '=', connectionId)
        .execute()
    },

    /** Returns the ids of the connections it revoked. */
    async revokeOfAgents(agentIds: readonly string[], now: Date): Promise<string[]> {
      const rows = q
        .updateTable('model_connection')
        .set({ revoked_at: now, sealed_credential: null })
        .where('agent_id', '=', sql<string>`any(${agentIds})`)
        .where('revoked_at', 'is', null)
        .returning('connection_id')
      return (await rows.execute()).map((row) => row.connection_id)
    },

    async touch({ orgId, connectionId }: Connection, now: Date, unlessSince: Date): Promise<void> {
      await q
        .updateTable('model_connection')
        .set({ last_used_at: now })
        .where('org_id', '=', orgId)
        .where('connection_id', '=', connectionId)
        .where((is) =>
          is.or([is('last_used_at', 'is', null), is('last_used_at', '<', unlessSince)]),
        )
        .execute()
    },

    /** Deletes connections that were revoked, and former tokens whose grace ended, before then. */
    async deleteEnded(before: Date): Promise<number> {
      const ended = q.deleteFrom('model_connection').where('revoked_at', '<', before)
      const formers = q.deleteFrom('model_connection_former').where('works_until', '<', before)
      const deleted = [...(await ended.execute()), ...(await formers.execute())]
      return deleted.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0)
    },

    /** Returns the ids of the connections it deleted. */
    async deleteOfAgent(agentId: AgentId): Promise<string[]> {
      const rows = q
        .deleteFrom('model_connection')
        .where('agent_id', '=', agentId)
        .returning('connection_id')
      return (await rows.execute()).map((row) => row.connection_id)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await q.deleteFrom('model_connection_former').where('org_id', '=', orgId).execute()
      await q.deleteFrom('model_connection').where('org_id', '=', orgId).execute()
    },
  }
}

function toConnection(row: ConnectionTables['model_connection']): Connection {
  return {
    orgId: toOrgId(row.org_id),
    connectionId: row.connection_id,
    agentId: row.agent_id,
    accountId: row.account_id,
    name: row.name,
    provider: row.provider,
    upstreamUrl: row.upstream_url,
    sealedCredential: row.sealed_credential,
    onContained: row.on_contained,
    onError: row.on_error,
    mode: row.mode,
    tokenHash: row.token_hash,
    tokenPrefix: row.token_prefix,
    createdBy: row.created_by,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}

function toRow(connection: Connection): Omit<ConnectionTables['model_connection'], 'revoked_at'> {
  return {
    org_id: connection.orgId,
    connection_id: connection.connectionId,
    agent_id: connection.agentId,
    account_id: connection.accountId,
    name: connection.name,
    provider: connection.provider,
    upstream_url: connection.upstreamUrl,
    sealed_credential: connection.sealedCredential,
    on_contained: connection.onContained,
    on_error: connection.onError,
    mode: connection.mode,
    token_hash: connection.tokenHash,
    token_prefix: connection.tokenPrefix,
    created_by: connection.createdBy,
    created_at: connection.createdAt,
    last_used_at: connection.lastUsedAt,
  }
}
