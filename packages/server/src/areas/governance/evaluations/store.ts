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

/** What one evaluation has of its own. */
type OwnRow = {
  evaluation_id: string
  trace_id: string | null
  evaluated_at: Date
  duration_ms: number
}

/** What many have in common, such as all that an agent may do under one policy. */
type KindRow = {
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

type EvaluationRow = OwnRow & KindRow

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
const KIND_COLUMNS = {
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
/** Which of the kinds a row is of. */
const AT_COLUMN = { at: 'integer' }
const NUMBERED_OWN_COLUMNS = { ...OWN_COLUMNS, ...AT_COLUMN }
const NUMBERED_KIND_COLUMNS = { ...KIND_COLUMNS, ...AT_COLUMN }
const SIGHTING_COLUMNS = { agent_id: 'text', tool: 'text', first_seen_at: 'timestamptz' }
const TOLD_COLUMNS = {
  agent_id: 'text',
  policy_version: 'integer',
  tools_hash: 'text',
  told_at: 'timestamptz',
}

/** Since when an agent uses a tool. */
export type Sighting = { agentId: string; tool: string; at: Date }

export function createEvaluationStore(db: Db) {
  const q = db.withTables<EvaluationTables>()
  return {
    /**
     * Those of agents that are still there, whose ids it gives: an agent may have been erased since,
     * and nothing about it may come after that. One statement, so that it can do without a transaction.
     * Most of a moment are alike: to send what they share once halves what they cost.
     */
    async insertAll(
      evaluations: readonly StoredEvaluation[],
      keeping: Agents['keeping'],
    ): Promise<ReadonlySet<string>> {
      const { rows, kinds } = sortKinds(evaluations)
      const agentIds = [...new Set(kinds.map((kind) => kind.agent_id))]
      // Materialized, or PostgreSQL would read the shared result anew for each row.
      const there = await sql<{ agent_id: string }>`
        with there as materialized (${keeping(agentIds)}),
        kind as materialized (select * from ${rowsOf(NUMBERED_KIND_COLUMNS, kinds)} as k),
        made as (
          insert into policy_evaluation (${namesOf(OWN_COLUMNS)}, ${namesOf(KIND_COLUMNS)})
          select ${namesOf(OWN_COLUMNS)}, ${namesOf(KIND_COLUMNS)}
          from ${rowsOf(NUMBERED_OWN_COLUMNS, rows)} as r
          join kind using (at) join there using (agent_id))
        select agent_id from there`.execute(q)
      return new Set(there.rows.map((row) => row.agent_id))
    },

    /** Those that were not known before. In one order everywhere, so that no two wait in a ring. */
    async insertSightings(sightings: readonly Sighting[]): Promise<Sighting[]> {
      const rows = sightings.map((one) => ({
        agent_id: one.agentId,
        tool: one.tool,
        first_seen_at: one.at,
      }))
      const made = await sql<EvaluationTables['policy_first_seen']>`
        insert into policy_first_seen (${namesOf(SIGHTING_COLUMNS)})
        select * from ${rowsOf(SIGHTING_COLUMNS, rows)} as r
        order by agent_id collate "C", tool collate "C"
        on conflict do nothing returning *
      `.execute(q)
      return made.rows.map(toSighting)
    },

    /** Those known of all that were asked for. */
    async findSightings(asked: readonly Omit<Sighting, 'at'>[]): Promise<Sighting[]> {
      const agentIds = asked.map(({ agentId }) => agentId)
      const tools = asked.map(({ tool }) => tool)
      const found = await sql<EvaluationTables['policy_first_seen']>`
        select seen.* from unnest(${agentIds}::text[], ${tools}::text[]) as asked (agent_id, tool)
        join policy_first_seen seen on seen.agent_id = asked.agent_id and seen.tool = asked.tool
      `.execute(q)
      return found.rows.map(toSighting)
    },

    /** Those whose like was not told for so long, and now counts as told. */
    async markTold(violations: readonly Violation[], againMs: number): Promise<Violation[]> {
      const rows = violations.map((one) => ({
        agent_id: one.agentId,
        policy_version: one.policyVersion,
        tools_hash: one.toolsHash,
        told_at: one.at,
      }))
      const told = await sql<EvaluationTables['policy_violation_told']>`
        insert into policy_violation_told as known (${namesOf(TOLD_COLUMNS)})
        select * from ${rowsOf(TOLD_COLUMNS, rows)} as r
        order by agent_id, policy_version, tools_hash
        on conflict (agent_id, policy_version, tools_hash)
        do update set told_at = excluded.told_at
        where known.told_at <= excluded.told_at - make_interval(secs => ${againMs / 1000})
        returning *
      `.execute(q)
      return told.rows.map((row) => ({
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
      // In the words of the index, which what passed is not in.
      const others = ofAgent.where(sql<boolean>`verdict <> 'pass'`)
      const isPass = verdict === 'pass'
      const rows =
        verdict === undefined ? ofAgent : (isPass ? ofAgent : others).where('verdict', '=', verdict)
      const count = (counted: typeof rows) => counted.select(sql<number>`count(*)`.as('total'))
      // Both are counted in their index alone, however many passed.
      const counting = isPass
        ? q.selectNoFrom(sql<number>`${count(ofAgent)} - ${count(others)}`.as('total'))
        : count(rows)
      const { total } = await counting.executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('evaluated_at', 'desc')
        .orderBy('evaluation_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toStored), total }
    },

    async deleteBefore(before: Date, rowsMax: number): Promise<number> {
      return asPurger(db, async () => {
        const gone = await sql`delete from policy_evaluation using (
            select agent_id, evaluated_at, evaluation_id from policy_evaluation
            where evaluated_at < ${before} limit ${rowsMax}) old
          where policy_evaluation.agent_id = old.agent_id
            and policy_evaluation.evaluated_at = old.evaluated_at
            and policy_evaluation.evaluation_id = old.evaluation_id`.execute(q)
        return Number(gone.numAffectedRows ?? 0)
      })
    },

    async deleteToldBefore(before: Date): Promise<void> {
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

function toSighting(row: EvaluationTables['policy_first_seen']): Sighting {
  return { agentId: row.agent_id, tool: row.tool, at: row.first_seen_at }
}

/** The distinct kinds of some evaluations, and the place of each. */
function sortKinds(evaluations: readonly StoredEvaluation[]) {
  const places = new Map<string, number>()
  const kinds: (KindRow & { at: number })[] = []
  const numberOf = createNumbers()
  const rows = evaluations.map((stored) => {
    const key = kindKey(stored, numberOf(stored.evaluation.coverage))
    const at = places.get(key) ?? kinds.length
    if (at === kinds.length) {
      places.set(key, at)
      kinds.push({ ...toKindRow(stored), at })
    }
    return toOwnRow(stored, at)
  })
  return { rows, kinds }
}

/** The coverage is of the policy and mostly the very same, so that it need not be read. */
function createNumbers(): (of: object) => number {
  const numbers = new Map<object, number>()
  return (of) => {
    const known = numbers.get(of)
    if (known !== undefined) return known
    numbers.set(of, numbers.size)
    return numbers.size - 1
  }
}

/** No member but the findings has a line break. */
function kindKey(stored: StoredEvaluation, coverage: number): string {
  const { verdict, violations, warnings, card_gaps } = stored.evaluation
  const hasFindings = violations.length + warnings.length + card_gaps.length > 0
  const findings = hasFindings ? JSON.stringify([violations, warnings, card_gaps]) : ''
  return `${stored.orgId}\n${stored.agentId}\n${stored.context}\n${verdict}\n${stored.policyId}\n${stored.policyVersion}\n${stored.mode}\n${stored.transactionId}\n${stored.violationCount}\n${stored.warningCount}\n${coverage}\n${findings}`
}

function toOwnRow(stored: StoredEvaluation, at: number): OwnRow & { at: number } {
  return {
    evaluation_id: stored.evaluationId,
    trace_id: stored.traceId,
    evaluated_at: stored.evaluatedAt,
    duration_ms: stored.durationMs,
    at,
  }
}

function toKindRow(stored: StoredEvaluation): KindRow {
  const { verdict, violations, warnings, card_gaps, coverage } = stored.evaluation
  return {
    org_id: stored.orgId,
    agent_id: stored.agentId,
    context: stored.context,
    verdict,
    policy_id: stored.policyId,
    policy_version: stored.policyVersion,
    enforcement_mode: stored.mode,
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
    mode: row.enforcement_mode as EnforcementMode,
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
