import type { ReclassifiedType } from '@touchstone/protocol/control'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** A checkpoint that was reclassified as a card gap. */
export type Gap = {
  agentId: string
  sessionId: string
  timestampMs: number
  /** False if its verdict was review_needed. */
  isBoundaryViolation: boolean
}

type GapRow = { agent_id: string; session_id: string; occurred_at: Date; verdict: string }

/** Reclassifications are rows of their own, because checkpoints are immutable. */
export function createReclassificationStore(tx: Db) {
  return {
    /** False if it was reclassified before; of two concurrent calls, the second waits and gets false. */
    async mark(of: {
      agentId: string
      checkpointId: string
      newType: ReclassifiedType
    }): Promise<boolean> {
      const marked = await sql`
        insert into checkpoint_reclassification (agent_id, position, new_type)
        select agent_id, position, ${of.newType} from checkpoint_owner
        where checkpoint_id = ${of.checkpointId} and agent_id = ${of.agentId}
        on conflict do nothing`.execute(tx)
      return marked.numAffectedRows === 1n
    },

    /** Makes scores use them from now on. Returns the card gaps. */
    async apply(
      reclassified: readonly { agentId: string; checkpointId: string }[],
      at: Date,
    ): Promise<Gap[]> {
      const found = await sql<GapRow>`
        with applied as (
          update checkpoint_reclassification r set applied_at = ${at}
          from unnest(${reclassified.map((one) => one.agentId)}::text[],
                      ${reclassified.map((one) => one.checkpointId)}::text[])
              as given (agent_id, checkpoint_id)
          join checkpoint_owner o using (agent_id, checkpoint_id)
          where r.agent_id = o.agent_id and r.position = o.position and r.applied_at is null
          returning r.agent_id, r.position, r.new_type
        )
        select c.agent_id, c.session_id, c.occurred_at, c.verdict from applied
        join checkpoint c on c.agent_id = applied.agent_id and c.position = applied.position
        where applied.new_type = 'card_gap'`.execute(tx)
      return found.rows.map((row) => ({
        agentId: row.agent_id,
        sessionId: row.session_id,
        timestampMs: row.occurred_at.getTime(),
        isBoundaryViolation: row.verdict === 'boundary_violation',
      }))
    },
  }
}
