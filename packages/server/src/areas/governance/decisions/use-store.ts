import type { DecisionReason, ObservedDecision } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { firstUuidAt, timeOfUuid } from '../../../kernel/ids.ts'
import { toId } from './decision-row.ts'

export type UseQuery = {
  orgId: string
  agentId: string
  /** Excludes its end. */
  range: { start: Date; end: Date }
  /** Their calls are counted apart. */
  flaggedSessions: readonly string[]
  /** Calls of this session count only if an outcome was reported. */
  testSession: string
  groupsMax: number
  /** Bounds the time for which a connection and the disks are busy. */
  statementMsMax: number
}

/** Decisions about one tool that are equal in all that tells what they prove. */
export type DecisionUse = ObservedDecision & {
  tool: string
  count: number
  first: Date
  last: Date
  newestId: string
}

type UseRow = {
  tool: string
  decision: string
  verdict: string | null
  outcome: string | null
  bypassed: boolean
  enforced: boolean
  flagged: boolean
  reasons: readonly string[] | null
  count: number
  first_id: string
  last_id: string
}

/**
 * Counts the decisions about an agent's calls in one statement. The index by kind has all that is read
 * of most decisions, so their rows are not; those of marked sessions are found by the index by session.
 * Must be called in a transaction, to which the time limit applies.
 */
export async function countDecisionUse(tx: Db, query: UseQuery): Promise<DecisionUse[]> {
  const { orgId, agentId, range, flaggedSessions, testSession, groupsMax, statementMsMax } = query
  // The planner cannot know how many decisions are flagged, and with a wrong guess compares each decision
  // with each of them. A lateral join is made as nested loops even so.
  await sql`select set_config('statement_timeout', ${String(statementMsMax)}, true),
    set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('enable_nestloop', 'off', true)`.execute(tx)
  const inRange = sql`d.decision_id >= ${firstUuidAt(range.start.getTime())}::uuid
    and d.decision_id < ${firstUuidAt(range.end.getTime())}::uuid`
  // A kind is marked as used at most once a day, so one that was used since the start has this date.
  const { rows } = await sql<UseRow>`
    with marked as materialized (
      select d.decision_id, d.session_id = ${testSession} as test
      from unnest(${[...new Set([...flaggedSessions, testSession])]}::text[]) as f (session_id)
      cross join lateral (
        select decision_id, session_id from decision d
        where hashtextextended(d.org_id || ' ' || d.session_id, 0)
            = hashtextextended(${`${orgId} `} || f.session_id, 0)
          and d.session_id = f.session_id and d.org_id = ${orgId} and ${inRange}
        offset 0) as d),
    counted as materialized (
      select d.kind_id, m.test is false as flagged, m.test is true as test,
        count(*) as count,
        min(d.decision_id::text collate "C") as first_id,
        max(d.decision_id::text collate "C") as last_id
      from decision d left join marked m on m.decision_id = d.decision_id
      where d.org_id = ${orgId} and ${inRange}
        and d.kind_id = any(array(
          select kind_id from decision_kind
          where org_id = ${orgId} and agent_id = ${agentId}
            and used_on >= ${range.start}::date - 2))
      group by d.kind_id, flagged, test),
    told as (
      select c.*, k.tool, k.decision, k.verdict, k.outcome, k.bypassed, k.enforced, array(
        select distinct (r ->> 'code') || ' ' || coalesce(r ->> 'severity', '')
        from jsonb_array_elements(k.reasons) as r order by 1) as reasons
      from counted c join decision_kind k on k.org_id = ${orgId} and k.kind_id = c.kind_id
      where not c.test or k.outcome is not null)
    select tool, decision, verdict, outcome, bypassed, enforced, flagged, reasons,
      sum(count)::bigint as count, min(first_id) as first_id, max(last_id) as last_id
    from told group by tool, decision, verdict, outcome, bypassed, enforced, flagged, reasons
    limit ${groupsMax}`.execute(tx)
  return rows.map(toUse)
}

/** The casts name the values that the table's constraints allow. */
function toUse(row: UseRow): DecisionUse {
  return {
    tool: row.tool,
    decision: row.decision as DecisionUse['decision'],
    verdict: row.verdict as DecisionUse['verdict'],
    outcome: row.outcome as DecisionUse['outcome'],
    bypassed: row.bypassed,
    enforced: row.enforced,
    sessionFlagged: row.flagged,
    reasons: (row.reasons ?? []).map(toReason),
    count: row.count,
    first: new Date(timeOfUuid(row.first_id)),
    last: new Date(timeOfUuid(row.last_id)),
    newestId: toId(row.last_id),
  }
}

function toReason(text: string): DecisionUse['reasons'][number] {
  const [code = '', severity = ''] = text.split(' ')
  return {
    code: code as DecisionReason['code'],
    severity: severity === '' ? null : (severity as DecisionReason['severity']),
  }
}
