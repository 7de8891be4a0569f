import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type AgentId, type OrgId, toAgentId } from '../../../kernel/ids.ts'
import type { Status } from './agent.ts'
import { idHash, nameHashes } from './new-id.ts'
import type { AgentTables } from './store.ts'

type Archiving = { now: Date; eraseAfter?: Date }

/** Archiving agents, by themselves or with their organisation, and erasing them. */
export function createArchiveStore(db: Db) {
  const q = db.withTables<AgentTables>()
  return {
    /** Archives an agent and, if given, sets the time of its erasure. Returns that time. */
    async archive(agentId: string, at: Archiving): Promise<Date | null> {
      const row = await q
        .updateTable('agent')
        .set({
          status_before: sql<Status>`case when status = 'archived' then status_before else status end`,
          status: 'archived',
          archived_with_org: false,
          updated_at: at.now,
          erase_after: sql<Date>`least(erase_after, ${at.eraseAfter ?? null})`,
        })
        .where('agent_id', '=', agentId)
        .returning('erase_after')
        .executeTakeFirst()
      return row?.erase_after ?? null
    },

    /**
     * Archives the organisation's active agents and returns their ids. They are erased with the
     * organisation, so they get no time of erasure, and restoring the organisation restores them.
     */
    async archiveWithOrg(orgId: OrgId, now: Date): Promise<AgentId[]> {
      const archived = await q
        .updateTable('agent')
        .set({
          status_before: sql<Status>`status`,
          status: 'archived',
          archived_with_org: true,
          updated_at: now,
        })
        .where('org_id', '=', orgId)
        .where('status', '<>', 'archived')
        .returning('agent_id')
        .execute()
      return archived.map((row) => toAgentId(row.agent_id))
    },

    /** Locks an agent that is due for erasure; false if it no longer is. */
    async lockToErase(agentId: AgentId, now: Date): Promise<boolean> {
      const row = await q
        .selectFrom('agent')
        .select('agent_id')
        .where('agent_id', '=', agentId)
        .where('erase_after', '<=', now)
        .forUpdate()
        .executeTakeFirst()
      return row !== undefined
    },

    /** Restores only the agents that were archived with the organisation. */
    async unarchiveWithOrg(orgId: OrgId, now: Date): Promise<AgentId[]> {
      const back = await q
        .updateTable('agent')
        .set({
          status: sql<Status>`coalesce(status_before, 'active')`,
          status_before: null,
          archived_with_org: false,
          erase_after: null,
          updated_at: now,
        })
        .where('org_id', '=', orgId)
        .where('archived_with_org', '=', true)
        .returning('agent_id')
        .execute()
      return back.map((row) => toAgentId(row.agent_id))
    },

    async listToErase(now: Date): Promise<AgentId[]> {
      const rows = await q
        .selectFrom('agent')
        .select('agent_id')
        .where('erase_after', '<=', now)
        .execute()
      return rows.map((row) => toAgentId(row.agent_id))
    },

    async listOfOrg(orgId: OrgId): Promise<AgentId[]> {
      const rows = await q
        .selectFrom('agent')
        .select('agent_id')
        .where('org_id', '=', orgId)
        .execute()
      return rows.map((row) => toAgentId(row.agent_id))
    },

    async addTombstone(agentId: AgentId, now: Date): Promise<void> {
      const { canonicalHash, skeletonHash } = nameHashes(agentId)
      await q
        .insertInto('agent_tombstone')
        .values({
          id_hash: idHash(agentId),
          canonical_hash: canonicalHash,
          skeleton_hash: skeletonHash,
          erased_at: now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      await q.deleteFrom('agent').where('agent_id', '=', agentId).execute()
    },
  }
}
