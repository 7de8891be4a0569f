import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type TracePolicy, toolsOf } from './trace.ts'

/** A position among an agent's traces, ordered by time of decision. */
export type TracePlace = { traceId: string; occurredAt: Date }

export type ToolUse = TracePlace & { sessionId: string; tools: readonly string[] }

type RecentQuery = {
  orgId: string
  agentId: string | undefined
  range: { start: Date; end: Date }
  before: TracePlace | undefined
  countMax: number
}

/** A range that excludes its end. */
type HistoryQuery = { agentId: string; range: { start: Date; end: Date } }

/** The tools used by past traces, for evaluating them against different policies. */
export function createToolHistory(db: Db) {
  return {
    /** The newest trace of the range beyond its `newestMax` newest. */
    async findLeftOut({ agentId, range, newestMax }: HistoryQuery & { newestMax: number }) {
      const found = await sql<PlaceRow>`select trace_id, occurred_at from trace
        where agent_id = ${agentId} and occurred_at >= ${range.start} and occurred_at < ${range.end}
        order by occurred_at desc, trace_id collate "C" desc
        limit 1 offset ${newestMax}`.execute(db)
      const [row] = found.rows
      return row && { traceId: row.trace_id, occurredAt: row.occurred_at }
    },

    /** By (timestamp, trace_id), after the given position or from the start. */
    async listToolUse(
      wanted: HistoryQuery & { after: TracePlace | undefined; countMax: number },
    ): Promise<ToolUse[]> {
      const { agentId, range, after, countMax } = wanted
      const from = after?.occurredAt ?? range.start
      // No id is empty, so without a position all traces of the first instant are included.
      const found =
        await sql<ToolUseRow>`select trace_id, session_id, occurred_at, action_type, action_name,
          document -> 'tools' as tools
        from trace
        where agent_id = ${agentId} and occurred_at >= ${from} and occurred_at < ${range.end}
          and (occurred_at, trace_id collate "C") > (${from}, ${after?.traceId ?? ''})
        order by occurred_at, trace_id collate "C" limit ${countMax}`.execute(db)
      return found.rows.map(toToolUse)
    },

    /** Tool use of an organisation or one of its agents, newest first, before the given position. */
    async listRecentToolUse(wanted: RecentQuery): Promise<(ToolUse & { agentId: string })[]> {
      const { orgId, agentId, range, before, countMax } = wanted
      const until = before?.occurredAt ?? range.end
      const ofAgent = agentId === undefined ? sql`true` : sql`agent_id = ${agentId}`
      // Without a position, no trace at the end itself is included: the range excludes its end.
      const found = await sql<ToolUseRow & { agent_id: string }>`
        select agent_id, trace_id, session_id, occurred_at, action_type, action_name,
          document -> 'tools' as tools
        from trace
        where org_id = ${orgId} and ${ofAgent}
          and occurred_at >= ${range.start} and occurred_at <= ${until}
          and (occurred_at, trace_id collate "C") < (${until}, ${before?.traceId ?? ''})
        order by occurred_at desc, trace_id collate "C" desc limit ${countMax}`.execute(db)
      return found.rows.map((row) => ({ ...toToolUse(row), agentId: row.agent_id }))
    },
  }
}

export type CountQuery = HistoryQuery & {
  /** Their traces are counted apart. */
  flaggedSessions: readonly string[]
  /** The newest traces that are counted. */
  tracesMax: number
  groupsMax: number
  /** Bounds the time for which a connection and the disks are busy. */
  statementMsMax: number
}

/** Uses of one tool that are equal in all that tells what they prove. */
export type CountedToolUse = {
  tool: string
  actionName: string
  verified: boolean
  /** Null if no policy was in force. */
  verdict: TracePolicy['verdict'] | null
  sessionFlagged: boolean
  count: number
  first: Date
  last: Date
  newestId: string
}

type CountedRow = {
  tool: string
  action_name: string
  verified: boolean
  verdict: string | null
  flagged: boolean
  count: number
  first_at: Date
  last_at: Date
  newest_id: string
}

/**
 * The use of tools in an agent's traces. The tools of a trace are those of `toolsOf`. Must be called in a
 * transaction, to which the time limit applies.
 */
export async function countToolUse(
  tx: Db,
  { agentId, range, flaggedSessions, tracesMax, groupsMax, statementMsMax }: CountQuery,
): Promise<{ traces: number; uses: CountedToolUse[] }> {
  await sql`select set_config('statement_timeout', ${String(statementMsMax)}, true)`.execute(tx)
  const inRange = sql`agent_id = ${agentId} and occurred_at >= ${range.start}
    and occurred_at < ${range.end}`
  const newest = sql`order by occurred_at desc, trace_id limit ${tracesMax}`
  const counted = await sql<{ traces: number }>`select count(*) as traces
    from (select trace_id from trace where ${inRange} ${newest}) as t`.execute(tx)
  const { rows } = await sql<CountedRow>`
    with recent as materialized (
      select trace_id, session_id, occurred_at, action_name, verified, policy ->> 'verdict' as verdict,
        case when document ? 'tools' then document -> 'tools'
          when action_type = 'execute' then jsonb_build_array(action_name)
          else '[]' end as tools
      from trace where ${inRange} ${newest}),
    used as (
      select distinct trace_id, session_id, occurred_at, action_name, verified, verdict, tool
      from recent, jsonb_array_elements_text(tools) as tool)
    select tool, action_name, verified, verdict, f.session_id is not null as flagged,
      count(*) as count, min(occurred_at) as first_at, max(occurred_at) as last_at,
      (array_agg(trace_id order by occurred_at desc, trace_id))[1] as newest_id
    from used left join unnest(${flaggedSessions}::text[]) as f (session_id) using (session_id)
    group by tool, action_name, verified, verdict, flagged
    limit ${groupsMax}`.execute(tx)
  return { traces: counted.rows[0]?.traces ?? 0, uses: rows.map(toCounted) }
}

function toCounted(row: CountedRow): CountedToolUse {
  return {
    tool: row.tool,
    actionName: row.action_name,
    verified: row.verified,
    verdict: row.verdict as CountedToolUse['verdict'],
    sessionFlagged: row.flagged,
    count: row.count,
    first: row.first_at,
    last: row.last_at,
    newestId: row.newest_id,
  }
}

type PlaceRow = { trace_id: string; occurred_at: Date }

type ToolUseRow = PlaceRow & {
  session_id: string
  action_type: string
  action_name: string
  tools: readonly string[] | null
}

function toToolUse(row: ToolUseRow): ToolUse {
  const { action_type: type, action_name: name, tools } = row
  const used = toolsOf({ action: { type, name }, ...(tools === null ? {} : { tools }) })
  return {
    traceId: row.trace_id,
    sessionId: row.session_id,
    occurredAt: row.occurred_at,
    tools: used,
  }
}
