import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { DecisionId } from '../../../kernel/ids.ts'
import type { DecisionRecord, Outcome } from './decision-record.ts'
import { type DecisionRow, toDecision, toId, toOutcome, toUuid } from './decision-row.ts'

/** A decision with the outcome that it has so far, and the id of its kind. */
export type KnownDecision = { decision: DecisionRecord; outcome: Outcome | null; kindId: number }

/** A call that was made, as a client describes it afterwards. */
export type OpenCall = {
  orgId: string
  agentId: string
  sessionId: string
  call: { callId: string | undefined; tool: string; argumentsHash: string | null }
}

const SELECT = sql`select d.*, k.agent_id, k.tool, k.decision, k.reasons, k.verdict,
  k.enforcement_mode, k.agent_enforcement_mode, k.policy_id, k.policy_version, k.asked_by, k.source,
  k.enforced, k.outcome, k.bypassed
  from decision d join decision_kind k on k.org_id = d.org_id and k.kind_id = d.kind_id`

/** Decisions without their batches, whose leaves are most of the bytes of a receipt. */
export function createRecordStore(db: Db) {
  return {
    /** The decisions of the organisation among these, by id. */
    async find(
      orgId: string,
      decisionIds: readonly DecisionId[],
    ): Promise<Map<DecisionId, KnownDecision>> {
      const found = await sql<DecisionRow & { kind_id: number }>`${SELECT}
        where d.org_id = ${orgId} and d.decision_id = any(${decisionIds.map(toUuid)}::uuid[])
      `.execute(db)
      const known = found.rows.map((row): KnownDecision => {
        return { decision: toDecision(row), outcome: toOutcome(row), kindId: row.kind_id }
      })
      return new Map(known.map((one) => [one.decision.decisionId, one]))
    },

    /** The agents and sessions of the organisation's decisions among these, by id. */
    async findNamed(
      orgId: string,
      decisionIds: readonly DecisionId[],
    ): Promise<Map<string, { agentId: string; sessionId: string | null }>> {
      const found = await sql<Pick<DecisionRow, 'decision_id' | 'agent_id' | 'session_id'>>`
        select d.decision_id, d.session_id, k.agent_id
        from decision d join decision_kind k on k.org_id = d.org_id and k.kind_id = d.kind_id
        where d.org_id = ${orgId} and d.decision_id = any(${decisionIds.map(toUuid)}::uuid[])
      `.execute(db)
      return new Map(
        found.rows.map((row) => [
          toId(row.decision_id),
          { agentId: row.agent_id, sessionId: row.session_id },
        ]),
      )
    },

    /**
     * The newest decision of a session without an outcome about the call with this id, or about a call of
     * this tool with these arguments.
     */
    async findOpen({ orgId, agentId, sessionId, call }: OpenCall): Promise<string | undefined> {
      const same =
        call.callId !== undefined
          ? sql`d.call_id = ${call.callId}`
          : sql`k.tool = ${call.tool} and d.arguments_hash is not distinct from ${bytesOf(call.argumentsHash)}`
      const found = await sql<Pick<DecisionRow, 'decision_id'>>`
        select d.decision_id
        from decision d join decision_kind k on k.org_id = ${orgId} and k.kind_id = d.kind_id
        where d.org_id = ${orgId}
          and hashtextextended(d.org_id || ' ' || d.session_id, 0)
            = hashtextextended(${`${orgId} ${sessionId}`}, 0)
          and d.session_id = ${sessionId} and k.agent_id = ${agentId} and k.outcome is null
          and ${same}
        order by d.decision_id desc limit 1`.execute(db)
      const [row] = found.rows
      return row && toId(row.decision_id)
    },

    /** The newest decisions, newest first. */
    async recent(orgId: string, limit: number): Promise<DecisionRecord[]> {
      const found = await sql<DecisionRow>`${SELECT}
        where d.org_id = ${orgId} order by d.decision_id desc limit ${limit}`.execute(db)
      return found.rows.map(toDecision)
    },
  }
}

function bytesOf(hash: string | null): Buffer | null {
  return hash === null ? null : Buffer.from(hash, 'hex')
}
