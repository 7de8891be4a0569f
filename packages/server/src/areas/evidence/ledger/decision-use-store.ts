import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** A decision of the gateway, and the position of the checkpoint that it counts for. */
export type DecisionUse = { agentId: string; decisionId: string; position: number }

/** The primary key of the table lets a decision count once, even if the locking above it failed. */
export function createDecisionUseStore(tx: Db) {
  return {
    /** The decisions among these that count for a checkpoint already. */
    async listUsed(
      named: readonly Omit<DecisionUse, 'position'>[],
    ): Promise<Omit<DecisionUse, 'position'>[]> {
      const found = await sql<{ agent_id: string; decision_id: string }>`
        select agent_id, decision_id from checkpoint_decision
        join unnest(${named.map((one) => one.agentId)}::text[],
                    ${named.map((one) => one.decisionId)}::text[]) as named (agent_id, decision_id)
          using (agent_id, decision_id)`.execute(tx)
      return found.rows.map((row) => ({ agentId: row.agent_id, decisionId: row.decision_id }))
    },

    async insert(uses: readonly DecisionUse[]): Promise<void> {
      await sql`insert into checkpoint_decision (agent_id, decision_id, position)
        select * from unnest(${uses.map((one) => one.agentId)}::text[],
          ${uses.map((one) => one.decisionId)}::text[],
          ${uses.map((one) => one.position)}::bigint[])`.execute(tx)
    },
  }
}
