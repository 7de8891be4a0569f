import type { Concern, Verdict } from '@touchstone/protocol/analysis'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** The fields of a checkpoint that describe its violation. */
export type StoredViolation = {
  checkpointId: string
  sessionId: string
  cardId: string
  timestamp: Date
  verdict: Verdict
  violationType: string
  concerns: readonly Concern[]
  excluded: boolean
  linkedTraceId: string | null
  position: number
}

export type ViolationPlace = Pick<StoredViolation, 'timestamp' | 'position'>

/** Decisions in an inclusive time range, among the first `chainLength` of the chain. */
export type ViolationSpan = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  chainLength: number
}

type ViolationRow = {
  checkpoint_id: string
  session_id: string
  card_id: string
  occurred_ms: number
  verdict: Verdict
  violation_type: string
  concerns: unknown
  excluded: boolean
  linked_trace_id: string | null
  position: number
}

/** Keyset pagination over the columns of a violation. */
export function createViolationStore(db: Db) {
  return {
    /** Oldest first, by the time of the decision. */
    async listAfter(
      span: ViolationSpan,
      after: ViolationPlace | undefined,
      limit: number,
    ): Promise<StoredViolation[]> {
      const later =
        after === undefined
          ? sql``
          : sql`and (occurred_at, position) > (${after.timestamp}, ${after.position})`
      const from = span.from === undefined ? sql`` : sql`and occurred_at >= ${span.from}`
      const to = span.to === undefined ? sql`` : sql`and occurred_at <= ${span.to}`
      // The verdict is repeated so that the partial index on non-clear rows is used. Milliseconds,
      // because parsing times as text takes longer than everything else.
      const found = await sql<ViolationRow>`
        select checkpoint_id, session_id, card_id, verdict, violation_type, concerns, excluded,
          linked_trace_id, position, (extract(epoch from occurred_at) * 1000)::float8 as occurred_ms
        from checkpoint
        where agent_id = ${span.agentId} and verdict <> 'clear' and synthetic_reason is null
          and violation_type is not null and position < ${span.chainLength} ${from} ${to} ${later}
        order by occurred_at, position limit ${limit}`.execute(db)
      return found.rows.map(toViolation)
    },
  }
}

function toViolation(row: ViolationRow): StoredViolation {
  return {
    checkpointId: row.checkpoint_id,
    sessionId: row.session_id,
    cardId: row.card_id,
    timestamp: new Date(row.occurred_ms),
    verdict: row.verdict,
    violationType: row.violation_type,
    concerns: row.concerns as Concern[],
    excluded: row.excluded,
    linkedTraceId: row.linked_trace_id,
    position: row.position,
  }
}
