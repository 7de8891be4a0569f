import type { Decision } from '@touchstone/protocol/policy'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { namesOf, rowsOf } from '../../../postgres/rows.ts'
import {
  addDurations,
  addHistogram,
  type CountRow,
  type Delta,
  type DurationRow,
  dayToolsKey,
  deltasOf,
  emptyHistogram,
  type Grouping,
  type Interval,
  OTHER,
  startOf,
} from './counter.ts'
import type { DecisionRecord, DecisionSource } from './decision-record.ts'

const DELTA_COLUMNS = {
  org_id: 'text',
  minute: 'timestamptz',
  agent_id: 'text',
  tool: 'text',
  decision: 'text',
  source: 'text',
  count: 'integer',
  durations: 'smallint[]',
}

const COUNT_COLUMNS = {
  org_id: 'text',
  grouped_by: 'text',
  resolution: 'text',
  start: 'timestamptz',
  agent_id: 'text',
  tool: 'text',
  decision: 'text',
  source: 'text',
  count: 'bigint',
}

const DURATION_COLUMNS = {
  org_id: 'text',
  resolution: 'text',
  start: 'timestamptz',
  counts: 'integer[]',
}

/** Counts the decisions about agents that are in the query `existing` of the same statement. */
export function insertDeltas(records: readonly DecisionRecord[]): RawBuilder<unknown> {
  const rows = deltasOf(records).map((delta) => ({
    org_id: delta.orgId,
    minute: delta.minute,
    agent_id: delta.agentId,
    tool: delta.tool,
    decision: delta.decision,
    source: delta.source,
    count: delta.durations.length,
    durations: delta.durations,
  }))
  return sql`insert into decision_delta (${namesOf(DELTA_COLUMNS)})
    select ${namesOf(DELTA_COLUMNS)} from ${rowsOf(DELTA_COLUMNS, rows)} as c
    join existing using (agent_id)`
}

/** Both bounds are multiples of the interval; `to` is exclusive. */
export type StatsRange = {
  orgId: string
  interval: Interval
  from: Date
  to: Date
}

/** The grouping of the counts, and the decisions that are counted; all of them if undefined. */
export type CountsOf = { grouping: Grouping; decisions: readonly Decision[] | undefined }

/** The counts of one key, or with null those of all that are not named, by the starts of intervals. */
export type KeyCounts = {
  key: string | null
  /** In seconds since 1970; one may occur more than once. */
  starts: readonly number[]
  counts: readonly number[]
}

const KEY_COLUMNS: Record<Grouping, RawBuilder<unknown>> = {
  agent: sql.ref('agent_id'),
  tool: sql.ref('tool'),
  decision: sql.ref('decision'),
  source: sql.ref('source'),
}

export function createCounterStore(db: Db) {
  return {
    /** Excludes other folds and erasures until the transaction ends. */
    async lock(): Promise<void> {
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(db)
    },

    /** Returns false if another process is folding. */
    async tryLock(): Promise<boolean> {
      const { rows } = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(${LOCK}) as locked`.execute(db)
      return rows[0]?.locked === true
    },

    /** Deletes and returns deltas; the caller adds them to the counters in the same transaction. */
    async takeDeltas(rowsMax: number): Promise<Delta[]> {
      const taken = await sql<DeltaRow>`delete from decision_delta where ctid = any(array(
        select ctid from decision_delta order by org_id, minute limit ${rowsMax}))
        returning *`.execute(db)
      return taken.rows.map(toDelta)
    },

    /** The tools that the agents of the deltas have on their days, by `dayToolsKey`. */
    async toolsOf(deltas: readonly Delta[]): Promise<Map<string, Set<string>>> {
      const days = new Map(
        deltas.map(({ orgId, agentId, minute }) => {
          const start = startOf('day', minute)
          return [dayToolsKey(orgId, agentId, start), { org_id: orgId, agent_id: agentId, start }]
        }),
      )
      const { rows } = await sql<{ org_id: string; agent_id: string; start: Date; tool: string }>`
        select distinct c.org_id, c.agent_id, c.start, c.tool
        from ${rowsOf(DAY_COLUMNS, [...days.values()])} as day
        join decision_count c using (org_id, agent_id, start)
        where c.grouped_by = 'all' and c.resolution = 'day' and c.tool <> ${OTHER}`.execute(db)
      const tools = new Map<string, Set<string>>()
      for (const { org_id, agent_id, start, tool } of rows) {
        const key = dayToolsKey(org_id, agent_id, start)
        tools.set(key, (tools.get(key) ?? new Set()).add(tool))
      }
      return tools
    },

    async add(counts: readonly CountRow[], durations: readonly DurationRow[]): Promise<void> {
      await sql`insert into decision_count as c (${namesOf(COUNT_COLUMNS)})
        select ${namesOf(COUNT_COLUMNS)} from ${rowsOf(COUNT_COLUMNS, counts)} as r
        on conflict (org_id, grouped_by, resolution, start, agent_id, tool, decision, source)
        do update set count = c.count + excluded.count`.execute(db)
      await sql`insert into decision_duration as d (${namesOf(DURATION_COLUMNS)})
        select ${namesOf(DURATION_COLUMNS)} from ${rowsOf(DURATION_COLUMNS, durations)} as r
        on conflict (org_id, resolution, start) do update set counts = array(
          select a + b from unnest(d.counts, excluded.counts) with ordinality as both_ (a, b, at)
          order by at)`.execute(db)
    },

    /**
     * Counts per key and interval: the `keysMax` most frequent keys of the range, and all others
     * together. Deltas that are not folded yet are included; one statement sees each decision exactly
     * once. A row per key with arrays is read faster than a row for each interval of each key, and only
     * the rare keys are looked at twice.
     */
    async counts(
      range: StatsRange,
      { grouping, decisions }: CountsOf,
      keysMax: number,
    ): Promise<KeyCounts[]> {
      const key = KEY_COLUMNS[grouping]
      // Only the counts by all columns have the decision beside another key.
      const grouped = decisions === undefined ? grouping : 'all'
      const isCounted =
        decisions === undefined ? sql`true` : sql`decision = any(${[...decisions]}::text[])`
      const { rows } = await sql<KeyCounts>`
        with counted as (
          select extract(epoch from start)::bigint as start, ${key} as key, count
          from decision_count
          where org_id = ${range.orgId} and grouped_by = ${grouped} and ${isCounted}
            and resolution = ${range.interval} and start >= ${range.from} and start < ${range.to}
          union all
          select extract(epoch from ${startOfDelta(range.interval)})::bigint, ${key}, count
          from decision_delta where ${isDeltaIn(range)} and ${isCounted}),
        by_key as materialized (
          select key, array_agg(start) as starts, array_agg(count) as counts,
            key <> ${OTHER} and row_number() over (
              order by key = ${OTHER}, sum(count) desc, key) <= ${keysMax} as is_named
          from counted group by key),
        rest as (
          select start, sum(count)::bigint as count
          from by_key, unnest(starts, counts) as one (start, count)
          where not is_named group by start)
        select key, array_to_json(starts) as starts, array_to_json(counts) as counts
        from by_key where is_named
        union all
        select null, json_agg(start), json_agg(count) from rest having count(*) > 0`.execute(db)
      return rows
    },

    /** Histograms by the start of their interval, in milliseconds. */
    async histograms(range: StatsRange): Promise<Map<number, number[]>> {
      const { rows } = await sql<{ start: Date; is_folded: boolean; numbers: string }>`
        select start, true as is_folded, array_to_string(counts, ',') as numbers
        from decision_duration where org_id = ${range.orgId} and resolution = ${range.interval}
          and start >= ${range.from} and start < ${range.to}
        union all
        select ${startOfDelta(range.interval)}, false,
          string_agg(array_to_string(durations, ','), ',')
        from decision_delta where ${isDeltaIn(range)} group by 1`.execute(db)
      const histograms = new Map<number, number[]>()
      for (const { start, is_folded, numbers } of rows) {
        const histogram = histograms.get(start.getTime()) ?? emptyHistogram()
        histograms.set(start.getTime(), histogram)
        const parsed = numbers.split(',').map(Number)
        if (is_folded) addHistogram(histogram, parsed)
        else addDurations(histogram, parsed)
      }
      return histograms
    },

    /** The organisations after the given one that have counters. */
    async orgsAfter(orgId: string, limit: number): Promise<string[]> {
      const { rows } = await sql<{ org_id: string | null }>`
        with recursive org as (
          select min(org_id) as org_id, 1 as n from decision_duration where org_id > ${orgId}
          union all
          select (select min(org_id) from decision_duration d where d.org_id > org.org_id), n + 1
          from org where org_id is not null and n < ${limit})
        select org_id from org where org_id is not null`.execute(db)
      return rows.flatMap((row) => row.org_id ?? [])
    },

    /** Deletes at most `rowsMax` counts and histograms of an interval that start earlier. */
    async deleteBefore(
      { orgId, interval, before }: { orgId: string; interval: Interval; before: Date },
      rowsMax: number,
    ): Promise<number> {
      const counts = await sql`delete from decision_count where ctid = any(array(
        select ctid from decision_count where org_id = ${orgId}
          and grouped_by in ('all', 'agent', 'tool', 'decision', 'source')
          and resolution = ${interval} and start < ${before} limit ${rowsMax}))`.execute(db)
      const gone = Number(counts.numAffectedRows ?? 0)
      // Last, because an organisation without histograms is not visited again.
      if (gone < rowsMax) {
        await sql`delete from decision_duration where org_id = ${orgId}
          and resolution = ${interval} and start < ${before}`.execute(db)
      }
      return gone
    },

    /** Deletes the counts of the agent and subtracts them from the sums of its organisation. */
    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await sql`delete from decision_delta where agent_id = ${agentId}`.execute(db)
      const { rows } = await sql<{ org_id: string }>`with gone as (
          delete from decision_count where agent_id = ${agentId} and agent_id <> ''
          returning *),
        series as (select * from gone where grouped_by = 'all'),
        sums as (
          select org_id, resolution, start, 'tool' as grouped_by, tool, '' as decision,
            '' as source, sum(count) as count from series group by 1, 2, 3, tool
          union all
          select org_id, resolution, start, 'decision', '', decision, '', sum(count)
            from series group by 1, 2, 3, decision
          union all
          select org_id, resolution, start, 'source', '', '', source, sum(count)
            from series group by 1, 2, 3, source)
        update decision_count c set count = c.count - s.count from sums s
        where c.org_id = s.org_id and c.grouped_by = s.grouped_by and c.resolution = s.resolution
          and c.start = s.start and c.agent_id = '' and c.tool = s.tool
          and c.decision = s.decision and c.source = s.source
        returning c.org_id`.execute(db)
      const orgIds = [...new Set(rows.map(({ org_id }) => org_id))]
      await sql`delete from decision_count where org_id = any(${orgIds}) and count = 0`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`delete from decision_delta where org_id = ${orgId}`.execute(db)
      await sql`delete from decision_count where org_id = ${orgId}`.execute(db)
      await sql`delete from decision_duration where org_id = ${orgId}`.execute(db)
    },
  }
}

const LOCK = sql`hashtextextended('decision counters', 0)`

const DAY_COLUMNS = { org_id: 'text', agent_id: 'text', start: 'timestamptz' }

function startOfDelta(interval: Interval): RawBuilder<unknown> {
  return sql`date_trunc(${sql.lit(interval)}, minute, 'UTC')`
}

function isDeltaIn({ orgId, from, to }: StatsRange): RawBuilder<unknown> {
  return sql`org_id = ${orgId} and minute >= ${from} and minute < ${to}`
}

type DeltaRow = {
  org_id: string
  minute: Date
  agent_id: string
  tool: string
  decision: string
  source: string
  durations: number[]
}

/** The casts name the values that the writer stored. */
function toDelta(row: DeltaRow): Delta {
  return {
    orgId: row.org_id,
    minute: row.minute,
    agentId: row.agent_id,
    tool: row.tool,
    decision: row.decision as Decision,
    source: row.source as DecisionSource,
    durations: row.durations,
  }
}
