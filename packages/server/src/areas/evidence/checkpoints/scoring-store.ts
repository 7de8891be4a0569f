import { STREAK_MIN } from '@touchstone/protocol'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Reclassification } from './checkpoint.ts'
import type { Verdict } from './concern.ts'

/** A boundary violation that counts. */
export type ViolationRow = {
  agent_id: string
  checkpoint_id: string
  session_id: string
  /** A number: making so many dates would cost more than reading them. */
  occurred_ms: number
  reclassification: Reclassification | null
}

/** Reads for scores: bounded by what an agent did wrong of late, not by its history. */
export function createScoringStore(db: Db) {
  return {
    /** Agents that have a tree and are not archived, by id. */
    async listScorable(afterAgentId: string, limit: number): Promise<string[]> {
      const found = await sql<{ agent_id: string }>`
        select agent_id from chain_head
        where agent_id > ${afterAgentId} and leaf_count > 0 and not closed
        order by agent_id limit ${limit}`.execute(db)
      return found.rows.map((row) => row.agent_id)
    },

    /** The same between two of them, both included. */
    async listScorableIn(firstAgentId: string, lastAgentId: string): Promise<string[]> {
      const found = await sql<{ agent_id: string }>`
        select agent_id from chain_head
        where agent_id between ${firstAgentId} and ${lastAgentId} and leaf_count > 0
          and not closed
        order by agent_id`.execute(db)
      return found.rows.map((row) => row.agent_id)
    },

    /** Of each agent's chain up to a length, in no order. The index alone answers this. */
    async violations(
      chains: readonly { agentId: string; length: number }[],
      after: Date,
    ): Promise<ViolationRow[]> {
      const found = await sql<ViolationRow>`
        select c.agent_id, c.checkpoint_id, c.session_id, c.reclassification,
          (date_part('epoch', c.occurred_at) * 1000)::bigint as occurred_ms
        from unnest(${chains.map((one) => one.agentId)}::text[],
                    ${chains.map((one) => one.length)}::bigint[]) as wanted (agent_id, length)
        join checkpoint c on c.agent_id = wanted.agent_id
        where c.verdict = 'boundary_violation' and c.synthetic_reason is null
          and c.occurred_at > ${after} and c.position < wanted.length`.execute(db)
      return found.rows
    },

    async latestNotClear(
      chain: { agentId: string; length: number },
      limit: number,
    ): Promise<string[]> {
      const found = await sql<{ checkpoint_id: string }>`
        select checkpoint_id from checkpoint
        where agent_id = ${chain.agentId} and verdict <> 'clear' and synthetic_reason is null
          and position < ${chain.length}
        order by occurred_at desc, position desc limit ${limit}`.execute(db)
      return found.rows.map((row) => row.checkpoint_id)
    },

    /** Of these ids, the agent's own that were analysed and are not clear. */
    async notClearAmong(
      agentId: string,
      checkpointIds: readonly string[],
    ): Promise<{ checkpointId: string; sessionId: string }[]> {
      const found = await sql<{ checkpoint_id: string; session_id: string }>`
        select c.checkpoint_id, c.session_id from checkpoint_owner o
        join checkpoint c on c.agent_id = o.agent_id and c.position = o.position
        where o.checkpoint_id = any(${checkpointIds}) and o.agent_id = ${agentId}
          and c.verdict <> 'clear' and c.synthetic_reason is null`.execute(db)
      return found.rows.map((row) => ({
        checkpointId: row.checkpoint_id,
        sessionId: row.session_id,
      }))
    },

    /** The scoring set of sessions whose own checkpoints made them unstable, in chain order. */
    async unstableSequences(
      agentId: string,
      sessionIds: readonly string[],
    ): Promise<Map<string, { checkpointId: string; verdict: Verdict; cardGap: boolean }[]>> {
      const found = await sql<{
        session_id: string
        checkpoint_id: string
        verdict: Verdict
        reclassification: Reclassification | null
      }>`
        select c.session_id, c.checkpoint_id, c.verdict, c.reclassification
        from checkpoint_session s
        join checkpoint c on c.agent_id = s.agent_id and c.session_id = s.session_id
        where s.agent_id = ${agentId} and s.session_id = any(${sessionIds})
          and s.unstable and not s.trace_drift and s.scored_count >= ${STREAK_MIN}
          and c.synthetic_reason is null and not c.excluded
        order by c.position`.execute(db)
      const sequences = new Map<
        string,
        { checkpointId: string; verdict: Verdict; cardGap: boolean }[]
      >()
      for (const row of found.rows) {
        const one = {
          checkpointId: row.checkpoint_id,
          verdict: row.verdict,
          cardGap: row.reclassification === 'card_gap',
        }
        const known = sequences.get(row.session_id)
        if (known === undefined) sequences.set(row.session_id, [one])
        else known.push(one)
      }
      return sequences
    },

    async latestUnstable(agentId: string, limit: number): Promise<string[]> {
      const found = await sql<{ session_id: string }>`
        select session_id from checkpoint_session
        where agent_id = ${agentId} and (unstable or trace_drift) and scored_count >= ${STREAK_MIN}
        order by last_at desc, session_id limit ${limit}`.execute(db)
      return found.rows.map((row) => row.session_id)
    },
  }
}
