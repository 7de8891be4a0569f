import type { Benchmarks, DirectorySort, Grade, ScoreTally, Tier } from '@touchstone/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type Entry, type EntryFilter, foldCase } from './entry.ts'
import type { PageWindow } from './page-window.ts'

type Row = {
  agent_id: string
  org_id: string
  name: string
  visibility: Entry['visibility']
  claimed: boolean
  score: number
  grade: Grade
  tier: Tier
  confidence: Entry['confidence']
  checkpoint_count: number
  trend_30d: number
  integrity_ratio: number
  compliance: number
  drift_stability: number
  trace_completeness: number
  coherence_compatibility: number
}

/** What an agent is, as far as the directory shows it. */
type Facts = Pick<Entry, 'agentId' | 'orgId' | 'name' | 'visibility' | 'claimed'>

const NAMES = [
  ...['agent_id', 'org_id', 'name', 'visibility', 'claimed', 'score', 'grade', 'tier'],
  ...['confidence', 'checkpoint_count', 'trend_30d', 'integrity_ratio', 'compliance'],
  ...['drift_stability', 'trace_completeness', 'coherence_compatibility'],
]
const COLUMNS = sql.join(NAMES.map((name) => sql.ref(name)))

/** INVARIANT: as `directoryOrder`, and each is that of an index; the second is it backwards. */
const ORDERS: Record<DirectorySort, readonly [RawBuilder<unknown>, RawBuilder<unknown>]> = {
  score: [sql.raw('score desc, agent_id'), sql.raw('score, agent_id desc')],
  name: [sql.raw('name_key, score desc, agent_id'), sql.raw('name_key desc, score, agent_id desc')],
  trend: [
    sql.raw('trend_30d desc, score desc, agent_id'),
    sql.raw('trend_30d, score, agent_id desc'),
  ],
  checkpoints: [
    sql.raw('checkpoint_count desc, score desc, agent_id'),
    sql.raw('checkpoint_count, score, agent_id desc'),
  ],
}

/** Of every hundred pages of the table, those that show how common a text is. */
const SAMPLE_PERCENT = 1

/** Between name and id; no byte of UTF-8 is like it. */
const SEPARATOR = Buffer.from([0xff])

export function createDirectoryStore(db: Db) {
  return { ...writing(db), ...finding(db), ...searching(db), ...summing(db) }
}

function writing(db: Db) {
  return {
    /** Rows that are as they were are left alone, as every write costs each index. */
    async save(entries: readonly Entry[]): Promise<void> {
      const rows = JSON.stringify(entries.map(toRow).sort(byId))
      await sql`insert into directory_entry (find_key, name_key, ${COLUMNS})
        select decode(find_key, 'hex'), name_key, ${COLUMNS}
        from json_to_recordset(${rows}::json) as r (find_key text, name_key text, agent_id text,
          org_id text, name text, visibility text, claimed boolean, score smallint,
          grade directory_grade, tier text, confidence directory_confidence,
          checkpoint_count bigint, trend_30d smallint, integrity_ratio smallint,
          compliance smallint, drift_stability smallint, trace_completeness smallint,
          coherence_compatibility smallint)
        on conflict (agent_id) do update set (find_key, name_key, ${COLUMNS})
          = (excluded.find_key, excluded.name_key, ${columnsOf('excluded')})
        where (${columnsOf('directory_entry')}) is distinct from (${columnsOf('excluded')})
        `.execute(db)
    },

    /** Changes what is there and adds nothing. */
    async saveFacts(agents: readonly Facts[]): Promise<void> {
      const rows = JSON.stringify(agents.map(toFactsRow).sort(byId))
      await sql`update directory_entry as e
        set find_key = decode(r.find_key, 'hex'), name_key = r.name_key, org_id = r.org_id,
          name = r.name, visibility = r.visibility, claimed = r.claimed
        from json_to_recordset(${rows}::json) as r (find_key text, name_key text, agent_id text,
          org_id text, name text, visibility text, claimed boolean)
        where e.agent_id = r.agent_id and (e.org_id, e.name, e.visibility, e.claimed)
          is distinct from (r.org_id, r.name, r.visibility, r.claimed)`.execute(db)
    },

    async remove(agentIds: readonly string[]): Promise<void> {
      await sql`delete from directory_entry where agent_id = any(${agentIds})`.execute(db)
    },
  }
}

function finding(db: Db) {
  return {
    /** Private ones only when they are the organisation's own. */
    async listShown(orgId: string, agentIds: readonly string[]): Promise<Entry[]> {
      const found = await sql<Row>`select ${COLUMNS} from directory_entry
        where agent_id = any(${agentIds}) and (is_listed or org_id = ${orgId})`.execute(db)
      return found.rows.map(toEntry)
    },
  }
}

function searching(db: Db) {
  return {
    /** How many are listed, without looking at them; the mark changes with every change. */
    async tally(filter: EntryFilter): Promise<{ listed: number; mark: string }> {
      const found = await sql<{ listed: number; mark: string }>`
        select coalesce(sum(entries) filter (
            where (org_id is null or org_id = ${filter.orgId}) ${filtered(filter)}), 0) as listed,
          count(*) || ' ' || coalesce(max(id), 0) as mark
        from directory_tally`.execute(db)
      const [row] = found.rows
      return { listed: Number(row?.listed ?? 0), mark: row?.mark ?? '' }
    },

    /** Roughly: what share of public entries has the text, from a few pages of them. */
    async estimateShare(text: string): Promise<number> {
      const found = await sql<{ seen: number; having: number }>`
        select count(*) as seen, count(*) filter (where ${contains(text)}) as having
        from directory_entry tablesample system (${sql.lit(SAMPLE_PERCENT)})
        where is_public`.execute(db)
      const { seen = 0, having = 0 } = found.rows[0] ?? {}
      return seen === 0 ? 0 : having / seen
    },

    /** Looks at every entry, or asks the index of texts, which is slower when most have it. */
    async count(filter: EntryFilter, text: string, by: 'scan' | 'index'): Promise<number> {
      const found = await sql<{ total: number }>`select count(*) as total from directory_entry
        where ${listed(filter)} and ${contains(text)} ${by === 'index' ? indexed(text) : sql``}
        `.execute(db)
      return found.rows[0]?.total ?? 0
    },

    /** Gathers all that match and sorts them, so it is for texts that few entries have. */
    async gather(
      filter: EntryFilter,
      text: string,
      request: { sort: DirectorySort; offset: number; limit: number },
    ): Promise<{ total: number; entries: Entry[] }> {
      const found = await sql<Partial<Row> & { total: number }>`
        with matching as materialized (
          select name_key, ${COLUMNS} from directory_entry
          where ${listed(filter)} and ${contains(text)} ${indexed(text)}),
        page as (
          select ${COLUMNS} from matching order by ${ORDERS[request.sort][0]}
          limit ${request.limit} offset ${request.offset})
        select total, page.* from (select count(*) as total from matching) as counted
        left join page on true`.execute(db)
      const rows = found.rows.filter((row): row is Row & { total: number } => !!row.agent_id)
      return { total: found.rows[0]?.total ?? 0, entries: rows.map(toEntry) }
    },

    /** Goes along an index up to the page; within a transaction. In no order. */
    async walk(
      filter: EntryFilter,
      text: string | undefined,
      { sort, window }: { sort: DirectorySort; window: PageWindow },
    ): Promise<Entry[]> {
      // The planner would rather sort everything: it takes a text for rarer, and an index for
      // dearer, than they are.
      await sql`select set_config('enable_sort', 'off', true),
        set_config('enable_seqscan', 'off', true),
        set_config('enable_bitmapscan', 'off', true)`.execute(db)
      const found = await sql<Row>`select ${COLUMNS} from directory_entry
        where agent_id = any(array(
          select agent_id from directory_entry
          where ${listed(filter)} ${text === undefined ? sql`` : sql`and ${contains(text)}`}
          order by ${ORDERS[sort][window.fromEnd ? 1 : 0]}
          limit ${window.limit} offset ${window.offset}))`.execute(db)
      return found.rows.map(toEntry)
    },
  }
}

function summing(db: Db) {
  return {
    async publicScores(): Promise<ScoreTally[]> {
      const found = await sql<ScoreTally>`select score, count(*) as count from directory_entry
        where is_public group by score`.execute(db)
      return found.rows
    },

    async saveBenchmarks(figures: Benchmarks, now: Date): Promise<void> {
      await sql`insert into directory_benchmark (figures, computed_at)
        values (${JSON.stringify(figures)}, ${now})
        on conflict (single) do update
        set figures = excluded.figures, computed_at = excluded.computed_at`.execute(db)
    },

    async findBenchmarks(): Promise<Benchmarks | undefined> {
      const found = await sql<{ figures: Benchmarks }>`
        select figures from directory_benchmark`.execute(db)
      return found.rows[0]?.figures
    },

    /**
     * One row instead of many. What others add meanwhile stays. A row is added even when there is
     * nothing to count, so that no mark ever comes back.
     */
    async compactTally(): Promise<void> {
      await sql`with gone as (delete from directory_tally returning *)
        insert into directory_tally (org_id, grade, confidence, entries)
        select org_id, grade, confidence, sum(entries) from gone
          group by org_id, grade, confidence having sum(entries) <> 0
        union all select null, null, null, 0`.execute(db)
    },

    /** Not within a transaction. Indexes alone answer only for pages that were tidied. */
    async tidy(): Promise<void> {
      await sql`vacuum (analyze) directory_entry`.execute(db)
    },
  }
}

function listed(filter: EntryFilter): RawBuilder<boolean> {
  return sql`is_listed and (is_public or org_id = ${filter.orgId}) ${filtered(filter)}`
}

function filtered({ grade, confidence }: EntryFilter): RawBuilder<unknown> {
  const byGrade = grade === undefined ? sql`` : sql`and grade = ${grade}`
  return confidence === undefined ? byGrade : sql`${byGrade} and confidence = ${confidence}`
}

function contains(text: string): RawBuilder<boolean> {
  return sql`position(${Buffer.from(foldCase(text))}::bytea in find_key) > 0`
}

/** Says the same again for the index of texts, where there is one and it can help. */
function indexed(text: string): RawBuilder<unknown> {
  const folded = foldCase(text)
  // Without three letters or digits in a row it would read all of the index.
  if (!/[a-z0-9]{3}/.test(folded)) return sql``
  const like = `%${folded.replace(/[\\%_]/g, '\\$&')}%`
  return sql`and (name_key like ${like} or lower(agent_id) like ${like})`
}

function columnsOf(table: string): RawBuilder<unknown> {
  return sql.join(NAMES.map((name) => sql.ref(`${table}.${name}`)))
}

function toEntry(row: Row): Entry {
  return {
    agentId: row.agent_id,
    orgId: row.org_id,
    name: row.name,
    visibility: row.visibility,
    claimed: row.claimed,
    score: row.score,
    grade: row.grade,
    tier: row.tier,
    confidence: row.confidence,
    checkpointCount: row.checkpoint_count,
    trend30d: row.trend_30d,
    components: {
      integrity_ratio: row.integrity_ratio,
      compliance: row.compliance,
      drift_stability: row.drift_stability,
      trace_completeness: row.trace_completeness,
      coherence_compatibility: row.coherence_compatibility,
    },
  }
}

function toRow(entry: Entry) {
  return {
    ...toFactsRow(entry),
    score: entry.score,
    grade: entry.grade,
    tier: entry.tier,
    confidence: entry.confidence,
    checkpoint_count: entry.checkpointCount,
    trend_30d: entry.trend30d,
    ...entry.components,
  }
}

function toFactsRow(agent: Facts) {
  const nameKey = foldCase(agent.name)
  const idKey = foldCase(agent.agentId)
  const findKey = Buffer.concat([Buffer.from(nameKey), SEPARATOR, Buffer.from(idKey)])
  return {
    find_key: findKey.toString('hex'),
    name_key: nameKey,
    agent_id: agent.agentId,
    org_id: agent.orgId,
    name: agent.name,
    visibility: agent.visibility,
    claimed: agent.claimed,
  }
}

/** Whoever writes several does so in this order, so that nobody waits in a ring. */
function byId(a: { agent_id: string }, b: { agent_id: string }): number {
  return a.agent_id < b.agent_id ? -1 : 1
}
