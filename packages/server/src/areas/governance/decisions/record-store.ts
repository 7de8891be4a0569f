import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { DecisionId } from '../../../kernel/ids.ts'
import type { DecisionRecord, Outcome } from './decision-record.ts'
import { type DecisionRow, toDecision, toId, toOutcome, toUuid } from './decision-row.ts'

/** A decision, as far as records that name it must match it. */
export type NamedDecision = Pick<DecisionRecord, 'agentId' | 'sessionId' | 'tool' | 'decision'>

type NamedRow = { decision_id: string; session_id: string | null } & {
  agent_id: string
  tool: string
  decision: NamedDecision['decision']
}

/** A decision with the outcome that it has so far, and the id of its kind. */
export type KnownDecision = { decision: DecisionRecord; outcome: Outcome | null; kindId: number }

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

    /** The organisation's decisions among these, by id, as records that name them need them. */
    async findNamed(
      orgId: string,
      decisionIds: readonly DecisionId[],
    ): Promise<Map<string, NamedDecision>> {
      const found = await sql<NamedRow>`
        select d.decision_id, d.session_id, k.agent_id, k.tool, k.decision
        from decision d join decision_kind k on k.org_id = d.org_id and k.kind_id = d.kind_id
        where d.org_id = ${orgId} and d.decision_id = any(${decisionIds.map(toUuid)}::uuid[])
      `.execute(db)
      return new Map(
        found.rows.map((row) => [
          toId(row.decision_id),
          {
            agentId: row.agent_id,
            sessionId: row.session_id,
            tool: row.tool,
            decision: row.decision,
          },
        ]),
      )
    },

    /** The newest decisions, newest first. */
    async recent(orgId: string, limit: number): Promise<DecisionRecord[]> {
      const found = await sql<DecisionRow>`${SELECT}
        where d.org_id = ${orgId} order by d.decision_id desc limit ${limit}`.execute(db)
      return found.rows.map(toDecision)
    },
  }
}
