import type {
  EnforcementMode,
  Evaluation,
  EvaluationContext,
  PolicyVerdict,
} from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { namesOf, rowsOf } from '../../../postgres/rows.ts'
import type { Agents } from './ports.ts'
import type { StoredEvaluation } from './stored-evaluation.ts'
import type { Violation } from './violation-event.ts'

/** Columns that differ for every evaluation. */
type OwnRow = {
  evaluation_id: string
  trace_id: string | null
  evaluated_at: Date
  duration_ms: number
}

/** Columns that many evaluations of a batch share, such as all calls of one agent that pass. */
type SharedRow = {
  org_id: string
  agent_id: string
  context: string
  verdict: string
  policy_id: string | null
  policy_version: number | null
  enforcement_mode: string
  transaction_id: string | null
  violation_count: number
  warning_count: number
  result: unknown
}

type EvaluationRow = OwnRow & SharedRow

type EvaluationTables = {
  policy_evaluation: EvaluationRow
  policy_first_seen: { agent_id: string; tool: string; first_seen_at: Date }
  policy_violation_told: {
    agent_id: string
    policy_version: number
    tools_hash: string
    told_at: Date
  }
}

const OWN_COLUMNS = {
  evaluation_id: 'text',
  trace_id: 'text',
  evaluated_at: 'timestamptz',
  duration_ms: 'double precision',
}
const SHARED_COLUMNS = {
  org_id: 'text',
  agent_id: 'text',
  context: 'text',
  verdict: 'text',
  policy_id: 'text',
  policy_version: 'integer',
  enforcement_mode: 'text',
  transaction_id: 'text',
  violation_count: 'integer',
  warning_count: 'integer',
  result: 'jsonb',
}
/** Refers from an evaluation to its shared columns. */
const GROUP_COLUMN = { group_no: 'integer' }
const NUMBERED_OWN_COLUMNS = { ...OWN_COLUMNS, ...GROUP_COLUMN }
const NUMBERED_SHARED_COLUMNS = { ...SHARED_COLUMNS, ...GROUP_COLUMN }
const SIGHTING_COLUMNS = { agent_id: 'text', tool: 'text', first_seen_at: 'timestamptz' }
const VIOLATION_MARK_COLUMNS = {
  agent_id: 'text',
  policy_version: 'integer',
  tools_hash: 'text',
  told_at: 'timestamptz',
}

/** When an agent first used a tool. */
export type Sighting = { agentId: string; tool: string; at: Date }

export function createEvaluationStore(db: Db) {
  const q = db.withTables<EvaluationTables>()
  return {
    /**
     * Inserts the evaluations of agents that still exist and returns which of the given agents, by
     * default those of the evaluations, these are: nothing may be stored about an agent after its erasure. One statement, so it needs no transaction.
     * Most evaluations of a batch are alike, so sending shared columns once halves the cost.
     */
    async insertAll(
      evaluations: readonly StoredEvaluation[],
      selectExisting: Agents['selectExisting'],
      agentIds: readonly string[] = agentIdsOf(evaluations),
    ): Promise<ReadonlySet<string>> {
      const { rows, groups } = groupByShared(evaluations)
      // Materialized, or PostgreSQL would read the shared result again for each row.
      const existing = await sql<{ agent_id: string }>`
        with existing as materialized (${selectExisting(agentIds)}),
        shared as materialized (select * from ${rowsOf(NUMBERED_SHARED_COLUMNS, groups)} as s),
        inserted as (
          insert into policy_evaluation (${namesOf(OWN_COLUMNS)}, ${namesOf(SHARED_COLUMNS)})
          select ${namesOf(OWN_COLUMNS)}, ${namesOf(SHARED_COLUMNS)}
          from ${rowsOf(NUMBERED_OWN_COLUMNS, rows)} as r
          join shared using (group_no) join existing using (agent_id))
        select agent_id from existing`.execute(q)
      return new Set(existing.rows.map((row) => row.agent_id))
    },

    /** Returns the new ones. Inserts in a fixed order, or concurrent batches could deadlock. */
    async insertSightings(sightings: readonly Sighting[]): Promise<Sighting[]> {
      const rows = sightings.map((one) => ({
        agent_id: one.agentId,
        tool: one.tool,
        first_seen_at: one.at,
      }))
      const inserted = await sql<EvaluationTables['policy_first_seen']>`
        insert into policy_first_seen (${namesOf(SIGHTING_COLUMNS)})
        select * from ${rowsOf(SIGHTING_COLUMNS, rows)} as r
        order by agent_id collate "C", tool collate "C"
        on conflict do nothing returning *
      `.execute(q)
      return inserted.rows.map(toSighting)
    },

    /** Returns the recorded ones of the given pairs. */
    async findSightings(pairs: readonly Omit<Sighting, 'at'>[]): Promise<Sighting[]> {
      const agentIds = pairs.map(({ agentId }) => agentId)
      const tools = pairs.map(({ tool }) => tool)
      const found = await sql<EvaluationTables['policy_first_seen']>`
        select seen.* from unnest(${agentIds}::text[], ${tools}::text[]) as pair (agent_id, tool)
        join policy_first_seen seen on seen.agent_id = pair.agent_id and seen.tool = pair.tool
      `.execute(q)
      return found.rows.map(toSighting)
    },

    /** Returns the violations that had no event within `intervalMs`, and marks them as emitted. */
    async claimViolationEvents(
      violations: readonly Violation[],
      intervalMs: number,
    ): Promise<Violation[]> {
      const rows = violations.map((one) => ({
        agent_id: one.agentId,
        policy_version: one.policyVersion,
        tools_hash: one.toolsHash,
        told_at: one.at,
      }))
      const claimed = await sql<EvaluationTables['policy_violation_told']>`
        insert into policy_violation_told as known (${namesOf(VIOLATION_MARK_COLUMNS)})
        select * from ${rowsOf(VIOLATION_MARK_COLUMNS, rows)} as r
        order by agent_id, policy_version, tools_hash
        on conflict (agent_id, policy_version, tools_hash)
        do update set told_at = excluded.told_at
        where known.told_at <= excluded.told_at - make_interval(secs => ${intervalMs / 1000})
        returning *
      `.execute(q)
      return claimed.rows.map((row) => ({
        agentId: row.agent_id,
        policyVersion: row.policy_version,
        toolsHash: row.tools_hash,
        at: row.told_at,
      }))
    },

    /** Newest first. */
    async list(
      filter: { agentId: string; verdict: PolicyVerdict | undefined },
      request: PageRequest,
    ): Promise<Page<StoredEvaluation>> {
      const { agentId, verdict } = filter
      const ofAgent = q.selectFrom('policy_evaluation').where('agent_id', '=', agentId)
      // Repeats the predicate of the partial index, which leaves out evaluations that passed.
      const others = ofAgent.where(sql<boolean>`verdict <> 'pass'`)
      const isPass = verdict === 'pass'
      const rows =
        verdict === undefined ? ofAgent : (isPass ? ofAgent : others).where('verdict', '=', verdict)
      const count = (counted: typeof rows) => counted.select(sql<number>`count(*)`.as('total'))
      // The difference of two index-only counts is cheap, however many passed.
      const countQuery = isPass
        ? q.selectNoFrom(sql<number>`${count(ofAgent)} - ${count(others)}`.as('total'))
        : count(rows)
      const { total } = await countQuery.executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('evaluated_at', 'desc')
        .orderBy('evaluation_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toStored), total }
    },

    async deleteViolationMarksBefore(before: Date): Promise<void> {
      await q.deleteFrom('policy_violation_told').where('told_at', '<', before).execute()
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('policy_evaluation').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('policy_first_seen').where('agent_id', '=', agentId).execute()
      })
      await q.deleteFrom('policy_violation_told').where('agent_id', '=', agentId).execute()
    },
  }
}

function agentIdsOf(evaluations: readonly StoredEvaluation[]): string[] {
  return [...new Set(evaluations.map(({ agentId }) => agentId))]
}

function toSighting(row: EvaluationTables['policy_first_seen']): Sighting {
  return { agentId: row.agent_id, tool: row.tool, at: row.first_seen_at }
}

/** Splits evaluations into their distinct shared columns and rows that refer to them. */
function groupByShared(evaluations: readonly StoredEvaluation[]) {
  const numbers = new Map<string, number>()
  const groups: (SharedRow & { group_no: number })[] = []
  const identify = createObjectIds()
  const rows = evaluations.map((stored) => {
    const key = sharedKey(stored, identify(stored.evaluation.coverage))
    const number = numbers.get(key) ?? groups.length
    if (number === groups.length) {
      numbers.set(key, number)
      groups.push({ ...toSharedRow(stored), group_no: number })
    }
    return toOwnRow(stored, number)
  })
  return { rows, groups }
}

/** Numbers objects by identity: coverage is large and mostly the same object of one policy. */
function createObjectIds(): (of: object) => number {
  const numbers = new Map<object, number>()
  return (of) => {
    const known = numbers.get(of)
    if (known !== undefined) return known
    numbers.set(of, numbers.size)
    return numbers.size - 1
  }
}

/** Unambiguous, because only the findings, which come last, can contain a line break. */
function sharedKey(stored: StoredEvaluation, coverage: number): string {
  const { verdict, violations, warnings, card_gaps } = stored.evaluation
  const hasFindings = violations.length + warnings.length + card_gaps.length > 0
  const findings = hasFindings ? JSON.stringify([violations, warnings, card_gaps]) : ''
  return `${stored.orgId}\n${stored.agentId}\n${stored.context}\n${verdict}\n${stored.policyId}\n${stored.policyVersion}\n${stored.policyMode}\n${stored.transactionId}\n${stored.violationCount}\n${stored.warningCount}\n${coverage}\n${findings}`
}

function toOwnRow(stored: StoredEvaluation, group: number): OwnRow & { group_no: number } {
  return {
    evaluation_id: stored.evaluationId,
    trace_id: stored.traceId,
    evaluated_at: stored.evaluatedAt,
    duration_ms: stored.durationMs,
    group_no: group,
  }
}

function toSharedRow(stored: StoredEvaluation): SharedRow {
  const { verdict, violations, warnings, card_gaps, coverage } = stored.evaluation
  return {
    org_id: stored.orgId,
    agent_id: stored.agentId,
    context: stored.context,
    verdict,
    policy_id: stored.policyId,
    policy_version: stored.policyVersion,
    enforcement_mode: stored.policyMode,
    transaction_id: stored.transactionId,
    violation_count: stored.violationCount,
    warning_count: stored.warningCount,
    result: { violations, warnings, card_gaps, coverage },
  }
}

function toStored(row: EvaluationRow): StoredEvaluation {
  const result = row.result as Omit<Evaluation, 'verdict'>
  return {
    evaluationId: row.evaluation_id,
    orgId: row.org_id,
    agentId: row.agent_id,
    context: row.context as EvaluationContext,
    evaluation: { verdict: row.verdict as PolicyVerdict, ...result },
    policyMode: row.enforcement_mode as EnforcementMode,
    policyId: row.policy_id,
    policyVersion: row.policy_version,
    transactionId: row.transaction_id,
    traceId: row.trace_id,
    violationCount: row.violation_count,
    warningCount: row.warning_count,
    evaluatedAt: row.evaluated_at,
    durationMs: row.duration_ms,
  }
}
