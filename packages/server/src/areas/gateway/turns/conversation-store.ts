import type { RefusedOutput } from '@touchstone/protocol/model-wire'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { SelectExisting } from './ports.ts'

/** An answer that the provider keeps, so that a later request can continue it. */
export type KeptAnswer = {
  orgId: string
  agentId: string
  answerId: string
  sessionId: string
  /** Calls whose output the provider still awaits. */
  refused: readonly RefusedOutput[]
}

export function createConversationStore(db: Db) {
  return {
    async save(kept: KeptAnswer, now: Date, selectExisting: SelectExisting): Promise<void> {
      await sql`with existing as materialized (${selectExisting([kept.agentId])})
        insert into model_answer
          (org_id, agent_id, answer_id, session_id, refused, created_at)
        select ${kept.orgId}::text, agent_id, ${kept.answerId}::text, ${kept.sessionId}::text,
          ${JSON.stringify(kept.refused)}::jsonb, ${now}::timestamptz
        from existing
        on conflict (org_id, agent_id, answer_id) do update set
          session_id = excluded.session_id, refused = excluded.refused,
          created_at = excluded.created_at`.execute(db)
    },

    async find(
      { orgId, agentId }: { orgId: string; agentId: string },
      answerId: string,
    ): Promise<Pick<KeptAnswer, 'sessionId' | 'refused'> | undefined> {
      const found = await sql<Pick<KeptAnswer, 'sessionId' | 'refused'>>`
        select session_id as "sessionId", refused from model_answer
        where org_id = ${orgId} and agent_id = ${agentId} and answer_id = ${answerId}`.execute(db)
      return found.rows[0]
    },

    async deleteBefore(before: Date): Promise<number> {
      const done = await sql`delete from model_answer where created_at < ${before}`.execute(db)
      return Number(done.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from model_answer where agent_id = ${agentId}`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from model_answer where org_id = ${orgId}`.execute(db)
    },
  }
}
