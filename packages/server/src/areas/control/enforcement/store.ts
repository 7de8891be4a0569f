import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { namesOf, rowsOf } from '../../../postgres/rows.ts'
import type { Nudge } from './nudge.ts'

type NudgeRow = {
  nudge_id: string
  agent_id: string
  session_id: string
  checkpoint_id: string
  position: number
  message: string
  created_at: Date
}

export type NewNudge = Nudge & { position: number }

const NUDGE_COLUMNS = {
  nudge_id: 'text',
  agent_id: 'text',
  session_id: 'text',
  checkpoint_id: 'text',
  position: 'bigint',
  message: 'text',
  created_at: 'timestamptz',
}

export function createNudgeStore(db: Db) {
  return {
    async insertAll(nudges: readonly NewNudge[]): Promise<void> {
      await sql`
        insert into nudge (${namesOf(NUDGE_COLUMNS)})
        select * from ${rowsOf(NUDGE_COLUMNS, nudges.map(toRow))} as r`.execute(db)
    },

    async hasPending(agentId: string, since: Date): Promise<boolean> {
      const found = await sql`
        select 1 from nudge
        where agent_id = ${agentId} and delivered_at is null and created_at > ${since}
        limit 1`.execute(db)
      return found.rows.length > 0
    },

    /**
     * Marks the oldest pending nudges as delivered and returns them. Concurrent calls get
     * different nudges, because rows locked by another transaction are skipped.
     */
    async deliver(
      of: { agentId: string; sessionId: string | undefined },
      at: { since: Date; now: Date; limit: number },
    ): Promise<Nudge[]> {
      const session = of.sessionId === undefined ? sql`` : sql`and session_id = ${of.sessionId}`
      const found = await sql<NudgeRow>`
        with chosen as (
          select nudge_id from nudge
          where agent_id = ${of.agentId} and delivered_at is null and created_at > ${at.since}
            ${session}
          order by position limit ${at.limit}
          for update skip locked
        ), told as (
          update nudge set delivered_at = ${at.now} from chosen
          where nudge.nudge_id = chosen.nudge_id
          returning nudge.*
        )
        select * from told order by position`.execute(db)
      return found.rows.map(toNudge)
    },

    /** Lets nudges that were marked as delivered wait again. */
    async undeliver(agentId: string, nudgeIds: readonly string[]): Promise<void> {
      await sql`
        update nudge set delivered_at = null
        where agent_id = ${agentId} and nudge_id = any(${nudgeIds})`.execute(db)
    },

    async deleteBefore(time: Date, limit: number): Promise<number> {
      const gone = await sql`
        delete from nudge where nudge_id in (
          select nudge_id from nudge where created_at <= ${time} limit ${limit})`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from nudge where agent_id = ${agentId}`.execute(db)
    },
  }
}

function toRow(nudge: NewNudge): NudgeRow {
  return {
    nudge_id: nudge.nudgeId,
    agent_id: nudge.agentId,
    session_id: nudge.sessionId,
    checkpoint_id: nudge.checkpointId,
    position: nudge.position,
    message: nudge.message,
    created_at: nudge.createdAt,
  }
}

function toNudge(row: NudgeRow): Nudge {
  return {
    nudgeId: row.nudge_id,
    agentId: row.agent_id,
    sessionId: row.session_id,
    checkpointId: row.checkpoint_id,
    message: row.message,
    createdAt: row.created_at,
  }
}
