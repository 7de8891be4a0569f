import type { Concern, Verdict } from '@touchstone/protocol/analysis'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'

/** The fields of a checkpoint that describe its violation. */
export type StoredViolation = {
  checkpointId: string
  sessionId: string
  cardId: string
  timestamp: Date
  receivedAt: Date
  verdict: Verdict
  violationType: string
  concerns: readonly Concern[]
  excluded: boolean
  linkedTraceId: string | null
  position: number
}

/** A checkpoint with what decides its reclassification. */
export type JudgedCheckpoint = {
  verdict: Verdict
  /** Null if it is not a violation. */
  violationType: string | null
  concerns: readonly Concern[]
  receivedAt: Date
  linkedTraceId: string | null
  /** The id of an API key, `user` or `service`; null if it was stored before senders were. */
  sentBy: string | null
}

export type ViolationPlace = Pick<StoredViolation, 'timestamp' | 'position'>

/** Violations in an inclusive time range, among the first `chainLength` of the chain. */
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
  created_ms: number
  verdict: Verdict
  violation_type: string
  concerns: unknown
  excluded: boolean
  linked_trace_id: string | null
  position: number
}

type JudgedRow = {
  verdict: Verdict
  violation_type: string | null
  concerns: unknown
  created_at: Date
  linked_trace_id: string | null
  sent_by: string | null
}

/** The violations of one type. */
export type ViolationKind = {
  type: string
  count: number
  boundaryViolations: number
  reclassified: number
  sessions: number
  lastAt: Date
}

/** Keyset pagination over the columns of a violation. */
export function createViolationStore(db: Db) {
  return {
    /** Oldest first, by timestamp. */
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
          linked_trace_id, position, (extract(epoch from occurred_at) * 1000)::float8 as occurred_ms,
          (extract(epoch from created_at) * 1000)::float8 as created_ms
        from checkpoint
        where agent_id = ${span.agentId} and verdict <> 'clear' and synthetic_reason is null
          and violation_type is not null and position < ${span.chainLength} ${from} ${to} ${later}
        order by occurred_at, position limit ${limit}`.execute(db)
      return found.rows.map(toViolation)
    },

    /** The types of an agent's violations in an inclusive time range, the most frequent first. */
    async types(
      agentId: string,
      span: { from: Date | undefined; to: Date | undefined },
    ): Promise<ViolationKind[]> {
      const from = span.from === undefined ? sql`` : sql`and c.occurred_at >= ${span.from}`
      const to = span.to === undefined ? sql`` : sql`and c.occurred_at <= ${span.to}`
      const found = await sql<{
        type: string
        count: number
        boundary_violations: number
        reclassified: number
        sessions: number
        last_at: Date
      }>`select c.violation_type as type, count(*) as count, max(c.occurred_at) as last_at,
          count(*) filter (where c.verdict = 'boundary_violation') as boundary_violations,
          count(r.new_type) as reclassified, count(distinct c.session_id) as sessions
        from checkpoint c left join checkpoint_reclassification r
          on r.agent_id = c.agent_id and r.position = c.position
        where c.agent_id = ${agentId} and c.verdict <> 'clear' and c.synthetic_reason is null
          and c.violation_type is not null ${from} ${to}
        group by 1 order by 2 desc, 1`.execute(db)
      return found.rows.map(({ boundary_violations, last_at, ...row }) => ({
        ...row,
        boundaryViolations: boundary_violations,
        lastAt: last_at,
      }))
    },

    /** Counts from `from` until before `to`. Agents without violations are left out. */
    async counts(
      agentIds: readonly string[],
      { from, to }: { from: Date; to: Date },
    ): Promise<Map<string, number>> {
      const found = await sql<{ agent_id: string; count: number }>`
        select agent_id, count(*) as count from checkpoint
        where agent_id = any(${agentIds}) and verdict <> 'clear' and synthetic_reason is null
          and violation_type is not null and occurred_at >= ${from} and occurred_at < ${to}
        group by agent_id`.execute(db)
      return new Map(found.rows.map((row) => [row.agent_id, row.count]))
    },

    /** Undefined for another agent's checkpoint. */
    async find(wanted: {
      agentId: string
      checkpointId: string
    }): Promise<JudgedCheckpoint | undefined> {
      const found = await sql<JudgedRow>`
        select c.verdict, c.concerns, c.created_at, c.linked_trace_id, c.sent_by,
          case when c.synthetic_reason is null then c.violation_type end as violation_type
        from checkpoint_owner o
        join checkpoint c on c.agent_id = o.agent_id and c.position = o.position
        where o.checkpoint_id = ${wanted.checkpointId}
          and o.agent_id = ${wanted.agentId}`.execute(db)
      const row = found.rows[0]
      return (
        row && {
          verdict: row.verdict,
          violationType: row.violation_type,
          // As in toViolation.
          concerns: row.concerns as Concern[],
          receivedAt: row.created_at,
          linkedTraceId: row.linked_trace_id,
          sentBy: row.sent_by,
        }
      )
    },
  }
}

/** The cast is safe, because only the ledger writes concerns. */
function toViolation(row: ViolationRow): StoredViolation {
  return {
    checkpointId: row.checkpoint_id,
    sessionId: row.session_id,
    cardId: row.card_id,
    timestamp: new Date(row.occurred_ms),
    receivedAt: new Date(row.created_ms),
    verdict: row.verdict,
    violationType: row.violation_type,
    concerns: row.concerns as Concern[],
    excluded: row.excluded,
    linkedTraceId: row.linked_trace_id,
    position: row.position,
  }
}
