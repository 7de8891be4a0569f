import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type AgentId, type DecisionId, type OrgId, toDecisionId } from '../../../kernel/ids.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import { toUuid } from './decision-row.ts'

/** Blocked calls of one agent, policy version and tool. */
export type BlockedCalls = {
  orgId: string
  agentId: string
  policyVersion: number | null
  tool: string
  /** The newest of them. */
  decisionId: DecisionId
  at: Date
  count: number
}

/** An event that is due: blocked calls since the one before. */
export type DueEvent = { orgId: string; decisionId: DecisionId; count: number }

const COLUMNS = {
  agent_id: 'text',
  policy_version: 'integer',
  tool: 'text',
  org_id: 'text',
  decision_id: 'uuid',
  told_at: 'timestamptz',
  told_count: 'integer',
}

type DueRow = { org_id: string; decision_id: string; told_count: number }

export function createStopEventStore(db: Db) {
  return {
    /**
     * Counts blocked calls; returns the events that are due: the first, and then one per interval. The
     * row is locked until the transaction ends, so the counts are exact over all nodes.
     */
    async claim(blocked: readonly BlockedCalls[], intervalMs: number): Promise<DueEvent[]> {
      const isDue = sql`known.told_at <= excluded.told_at - make_interval(secs => ${intervalMs / 1000})`
      const counted = await sql<DueRow>`
        insert into decision_block_told as known
          (agent_id, policy_version, tool, org_id, decision_id, told_at, told_count, untold_count)
        select agent_id, policy_version, tool, org_id, decision_id, told_at, told_count, 0
        from ${rowsOf(COLUMNS, blocked.map(toRow))} as r
        order by org_id, agent_id, policy_version, tool collate "C"
        on conflict (org_id, agent_id, policy_version, tool) do update set
          decision_id = case when ${isDue} then excluded.decision_id else known.decision_id end,
          told_at = case when ${isDue} then excluded.told_at else known.told_at end,
          told_count = case when ${isDue} then known.untold_count + excluded.told_count
            else known.told_count end,
          untold_count = case when ${isDue} then 0
            else known.untold_count + excluded.told_count end,
          untold_id = case when ${isDue} then null else excluded.decision_id end
        returning org_id, decision_id, told_count`.execute(db)
      const given = new Set(blocked.map(({ decisionId }) => toUuid(decisionId)))
      return counted.rows.filter((row) => given.has(row.decision_id)).map(toDue)
    },

    /** Claims the counts that no later blocked call has reported within the interval. */
    async claimOverdue(now: Date, intervalMs: number, rowsMax: number): Promise<DueEvent[]> {
      const claimed = await sql<DueRow>`
        update decision_block_told set decision_id = untold_id, told_at = ${now},
          told_count = untold_count, untold_count = 0, untold_id = null
        where (org_id, agent_id, policy_version, tool) in (
          select org_id, agent_id, policy_version, tool from decision_block_told
          where untold_count > 0
            and told_at <= ${now}::timestamptz - make_interval(secs => ${intervalMs / 1000})
          order by org_id, agent_id, policy_version, tool limit ${rowsMax} for update skip locked)
        returning org_id, decision_id, told_count`.execute(db)
      return claimed.rows.map(toDue)
    },

    async deleteBefore(before: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from decision_block_told
        where (org_id, agent_id, policy_version, tool) in (
          select org_id, agent_id, policy_version, tool from decision_block_told
          where told_at < ${before} and untold_count = 0
          limit ${rowsMax} for update skip locked)`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from decision_block_told where agent_id = ${agentId}`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from decision_block_told where org_id = ${orgId}`.execute(db)
    },
  }
}

function toRow(blocked: BlockedCalls): Record<keyof typeof COLUMNS, unknown> {
  return {
    agent_id: blocked.agentId,
    policy_version: blocked.policyVersion ?? 0,
    tool: blocked.tool,
    org_id: blocked.orgId,
    decision_id: toUuid(blocked.decisionId),
    told_at: blocked.at,
    told_count: blocked.count,
  }
}

function toDue(row: DueRow): DueEvent {
  return {
    orgId: row.org_id,
    decisionId: toDecisionId(`dec-${row.decision_id}`),
    count: row.told_count,
  }
}
