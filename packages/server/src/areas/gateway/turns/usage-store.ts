import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { namesOf, rowsOf } from '../../../postgres/rows.ts'
import type { SelectExisting } from './ports.ts'
import type { Usage, UsageOfHour } from './usage.ts'

/** Sums over the agents and models of an organisation from this time on. */
export type UsageBucket = Omit<Usage, 'requestedModel' | 'model'> & { start: Date }

export type UsageDay = Omit<Usage, 'requestedModel'> & { date: string }

type Agent = { orgId: string; agentId: string }

const COLUMNS = {
  org_id: 'text',
  agent_id: 'text',
  hour: 'timestamptz',
  requested_model: 'text',
  model: 'text',
  turns: 'bigint',
  input_tokens: 'bigint',
  cached_tokens: 'bigint',
  output_tokens: 'bigint',
  tool_calls: 'bigint',
  blocked: 'bigint',
  ungoverned: 'bigint',
}

const SUMS = sql`sum(turns)::bigint as turns, sum(input_tokens)::bigint as "inputTokens",
  sum(cached_tokens)::bigint as "cachedTokens", sum(output_tokens)::bigint as "outputTokens",
  sum(tool_calls)::bigint as "toolCalls", sum(blocked)::bigint as blocked,
  sum(ungoverned)::bigint as ungoverned`

export function createUsageStore(db: Db) {
  return {
    /** Adds to the hours; no two of the rows are of the same agent, hour and models. */
    async addAll(rows: readonly UsageOfHour[], selectExisting: SelectExisting): Promise<void> {
      const agentIds = [...new Set(rows.map(({ agentId }) => agentId))]
      await sql`with existing as materialized (${selectExisting(agentIds)})
        insert into model_usage as u (${namesOf(COLUMNS)})
        select r.* from ${rowsOf(COLUMNS, rows.map(toRow))} as r join existing using (agent_id)
        on conflict (org_id, agent_id, hour, requested_model, model) do update set
          turns = u.turns + excluded.turns,
          input_tokens = u.input_tokens + excluded.input_tokens,
          cached_tokens = u.cached_tokens + excluded.cached_tokens,
          output_tokens = u.output_tokens + excluded.output_tokens,
          tool_calls = u.tool_calls + excluded.tool_calls,
          blocked = u.blocked + excluded.blocked,
          ungoverned = u.ungoverned + excluded.ungoverned`.execute(db)
    },

    /** By day (UTC) and model, oldest first. */
    async days({ orgId, agentId }: Agent, from: Date, to: Date): Promise<UsageDay[]> {
      const found = await sql<UsageDay>`
        select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as date, model, ${SUMS}
        from model_usage
        where org_id = ${orgId} and agent_id = ${agentId} and hour >= ${from} and hour < ${to}
        group by 1, 2 order by 1, 2`.execute(db)
      return found.rows
    },

    /** By hour or day (UTC), oldest first; times without a turn have no row. */
    async buckets(
      orgId: string,
      { interval, from, to }: { interval: 'hour' | 'day'; from: Date; to: Date },
    ): Promise<UsageBucket[]> {
      const found = await sql<UsageBucket>`
        select date_trunc(${sql.lit(interval)}, hour, 'UTC') as start, ${SUMS}
        from model_usage where org_id = ${orgId} and hour >= ${from} and hour < ${to}
        group by 1 order by 1`.execute(db)
      return found.rows
    },

    /** Since then, by requested and answering model, from the start of each hour. */
    async since(
      { orgId, agentId }: Agent,
      from: Date,
    ): Promise<
      { hour: Date; requestedModel: string; model: string; turns: number; tokens: number }[]
    > {
      const found = await sql<{
        hour: Date
        requestedModel: string
        model: string
        turns: number
        tokens: number
      }>`select hour, requested_model as "requestedModel", model, turns,
          input_tokens + output_tokens as tokens
        from model_usage
        where org_id = ${orgId} and agent_id = ${agentId} and hour >= ${from}`.execute(db)
      return found.rows
    },

    async deleteBefore(before: Date): Promise<number> {
      const done = await sql`delete from model_usage where hour < ${before}`.execute(db)
      return Number(done.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from model_usage where agent_id = ${agentId}`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from model_usage where org_id = ${orgId}`.execute(db)
    },
  }
}

function toRow(usage: UsageOfHour) {
  return {
    org_id: usage.orgId,
    agent_id: usage.agentId,
    hour: usage.hour,
    requested_model: usage.requestedModel,
    model: usage.model,
    turns: usage.turns,
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    tool_calls: usage.toolCalls,
    blocked: usage.blocked,
    ungoverned: usage.ungoverned,
  }
}
