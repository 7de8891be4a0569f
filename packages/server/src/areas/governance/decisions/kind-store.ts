import { createHash } from 'node:crypto'
import { canonicalJson } from '@touchstone/protocol/base'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { namesOf, rowsOf } from '../../../postgres/rows.ts'
import type { DecisionKind, DecisionRecord, Outcome, OutcomeStatus } from './decision-record.ts'

/** A kind as it is stored: decisions of it have this outcome, or none yet. */
export type StoredKind = DecisionKind & {
  orgId: string
  outcome: OutcomeStatus | null
  bypassed: boolean
}

const COLUMNS = {
  org_id: 'text',
  digest: 'hex',
  agent_id: 'text',
  tool: 'text',
  decision: 'text',
  verdict: 'text',
  enforcement_mode: 'text',
  agent_enforcement_mode: 'text',
  policy_id: 'text',
  policy_version: 'integer',
  asked_by: 'text',
  source: 'text',
  enforced: 'boolean',
  outcome: 'text',
  bypassed: 'boolean',
  reasons: 'jsonb',
}

/** The kind of a decision that has the outcome, or none yet. */
export function kindOf(
  record: DecisionRecord,
  outcome: Pick<Outcome, 'status' | 'bypassed'> | null = null,
): StoredKind {
  return {
    orgId: record.orgId,
    agentId: record.agentId,
    tool: record.tool,
    decision: record.decision,
    reasons: record.reasons,
    verdict: record.verdict,
    enforcementMode: record.enforcementMode,
    agentEnforcementMode: record.agentEnforcementMode,
    policyId: record.policyId,
    policyVersion: record.policyVersion,
    askedBy: record.askedBy,
    source: record.source,
    enforced: record.enforced,
    outcome: outcome?.status ?? null,
    bypassed: outcome?.bypassed ?? false,
  }
}

/** Equal kinds of one organisation have equal digests. */
export function digestOf(kind: StoredKind): string {
  const { orgId: _, ...columns } = kind
  return createHash('sha256').update(canonicalJson(columns)).digest('hex')
}

export function createKindStore(db: Db) {
  return {
    /**
     * Stores the kinds that are new and marks all as used today. Returns their ids in order. Rows are
     * written in a fixed order, or concurrent batches could deadlock.
     */
    async idsOf(kinds: readonly StoredKind[], today: Date): Promise<number[]> {
      const rows = kinds.map(toRow)
      const stored = await sql<{ digest: string; org_id: string; kind_id: number }>`
        insert into decision_kind as known (${namesOf(COLUMNS)}, used_on)
        select ${namesOf(COLUMNS)}, ${today}::date from ${rowsOf(COLUMNS, rows)} as r
        order by org_id collate "C", digest
        on conflict (org_id, digest) do update
          set used_on = greatest(known.used_on, excluded.used_on)
        returning org_id, encode(digest, 'hex') as digest, kind_id
      `.execute(db)
      const ids = new Map(stored.rows.map((row) => [`${row.org_id} ${row.digest}`, row.kind_id]))
      return rows.map((row) => ids.get(`${row.org_id} ${row.digest}`) ?? missing())
    },

    /** Deletes kinds that no decision used since. */
    async deleteUnusedSince(before: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from decision_kind where (org_id, kind_id) in (
        select org_id, kind_id from decision_kind where used_on < ${before}::date
        limit ${rowsMax})`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },
  }
}

function missing(): never {
  throw new Error('a kind of decisions was neither stored nor found')
}

function toRow(kind: StoredKind): Record<keyof typeof COLUMNS, unknown> {
  return {
    org_id: kind.orgId,
    digest: digestOf(kind),
    agent_id: kind.agentId,
    tool: kind.tool,
    decision: kind.decision,
    verdict: kind.verdict,
    enforcement_mode: kind.enforcementMode,
    agent_enforcement_mode: kind.agentEnforcementMode,
    policy_id: kind.policyId,
    policy_version: kind.policyVersion,
    asked_by: kind.askedBy,
    source: kind.source,
    enforced: kind.enforced,
    outcome: kind.outcome,
    bypassed: kind.bypassed,
    reasons: kind.reasons,
  }
}
