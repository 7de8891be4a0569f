import type { Benchmarks, Grade, ScoreTally, Tier } from '@touchstone/protocol/score'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Entry, ListedEntry } from './entry.ts'

type Component = keyof Entry['components']

type Row = Record<Component, number> & {
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
}

/** What an agent is, as far as the directory shows it. */
type Facts = Pick<Entry, 'agentId' | 'orgId' | 'name' | 'visibility' | 'claimed'>

const LISTED_NAMES = [
  'agent_id',
  'org_id',
  'name',
  'visibility',
  'claimed',
  'score',
  'grade',
  'tier',
  'confidence',
  'checkpoint_count',
  'trend_30d',
]
const NAMES = [
  ...LISTED_NAMES,
  'integrity_ratio',
  'compliance',
  'drift_stability',
  'trace_completeness',
  'coherence_compatibility',
]
const LISTED_COLUMNS = sql.join(LISTED_NAMES.map((name) => sql.ref(name)))
const COLUMNS = sql.join(NAMES.map((name) => sql.ref(name)))

/** What had ended when somebody looked, as PostgreSQL writes a snapshot. */
export type Moment = string

export type Changes = {
  /** When this was asked; the next question begins here. */
  now: Moment
  /** False when some of the changes since are forgotten. */
  complete: boolean
  agentIds: string[]
}

export function createDirectoryStore(db: Db) {
  return { ...writing(db), ...finding(db), ...following(db), ...summing(db) }
}

const FACTS_COLUMNS = {
  agent_id: 'text',
  org_id: 'text',
  name: 'text',
  visibility: 'text',
  claimed: 'boolean',
}
const ENTRY_COLUMNS = {
  ...FACTS_COLUMNS,
  score: 'smallint',
  grade: 'directory_grade',
  tier: 'text',
  confidence: 'directory_confidence',
  checkpoint_count: 'bigint',
  trend_30d: 'smallint',
  integrity_ratio: 'smallint',
  compliance: 'smallint',
  drift_stability: 'smallint',
  trace_completeness: 'smallint',
  coherence_compatibility: 'smallint',
}

function writing(db: Db) {
  return {
    /** Rows that are as they were are left alone, as every change is told to all who search. */
    async save(entries: readonly Entry[]): Promise<void> {
      const rows = rowsOf(ENTRY_COLUMNS, entries.map(toRow).sort(byId))
      await sql`insert into directory_entry (${COLUMNS})
        select ${COLUMNS}
        from ${rows} as r
        on conflict (agent_id) do update set (${COLUMNS}) = (${columnsOf('excluded')})
        where (${columnsOf('directory_entry')}) is distinct from (${columnsOf('excluded')})
        `.execute(db)
    },

    /** Changes what is there and adds nothing. */
    async saveFacts(agents: readonly Facts[]): Promise<void> {
      const rows = rowsOf(FACTS_COLUMNS, agents.map(toFactsRow).sort(byId))
      await sql`update directory_entry as e
        set org_id = r.org_id, name = r.name, visibility = r.visibility, claimed = r.claimed
        from ${rows} as r
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

/** For those who hold all listed entries and follow what changes. */
function following(db: Db) {
  // Rows say the same few words; held a hundred thousand times each they would weigh more than
  // everything else.
  const words = new Map<string, string>()
  const same = <Word extends string>(word: Word): Word => {
    const known = words.get(word)
    if (known !== undefined) return known as Word
    words.set(word, word)
    return word
  }
  const toListed = (row: Omit<Row, Component>): ListedEntry => ({
    ...toScored(row),
    orgId: same(row.org_id),
    visibility: same(row.visibility),
    grade: same(row.grade),
    tier: same(row.tier),
    confidence: same(row.confidence),
  })
  return {
    async moment(): Promise<Moment> {
      const found = await sql<{ now: Moment }>`
        select pg_current_snapshot()::text as now`.execute(db)
      return found.rows[0]?.now ?? ''
    },

    /** By id. */
    async listListed(afterAgentId: string, limit: number): Promise<ListedEntry[]> {
      const found = await sql<Row>`select ${LISTED_COLUMNS} from directory_entry
        where is_listed and agent_id > ${afterAgentId} order by agent_id limit ${limit}`.execute(db)
      return found.rows.map(toListed)
    },

    async listListedAmong(agentIds: readonly string[]): Promise<ListedEntry[]> {
      const found = await sql<Row>`select ${LISTED_COLUMNS} from directory_entry
        where is_listed and agent_id = any(${agentIds})`.execute(db)
      return found.rows.map(toListed)
    },

    /**
     * Whatever ended since that moment. A floor in the future is of another server: this database
     * was restored from there, and nobody who looks here has looked there.
     */
    async changesSince(moment: Moment): Promise<Changes> {
      const found = await sql<{ now: Moment; complete: boolean; agent_ids: string[] }>`
        select pg_current_snapshot()::text as now,
          not exists (select from directory_change_floor
            where kept_from > pg_snapshot_xmin(${moment}::pg_snapshot)
              and kept_from < pg_snapshot_xmax(pg_current_snapshot())) as complete,
          array(select distinct agent_id from directory_change
            where xid >= pg_snapshot_xmin(${moment}::pg_snapshot)
              and not pg_visible_in_snapshot(xid, ${moment}::pg_snapshot)) as agent_ids
        `.execute(db)
      const { now = moment, complete = false, agent_ids: agentIds = [] } = found.rows[0] ?? {}
      return { now, complete, agentIds }
    },

    /** Those of before the last time this was called, and those of another server. */
    async forgetChanges(): Promise<void> {
      await sql`with floor as (
          update directory_change_floor set
            kept_from = least(next_from, pg_snapshot_xmin(pg_current_snapshot())),
            next_from = pg_snapshot_xmin(pg_current_snapshot())
          returning kept_from)
        delete from directory_change using floor
        where xid < kept_from
          or xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(db)
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

    /** Not within a transaction. */
    async tidy(): Promise<void> {
      await sql`vacuum (analyze) directory_entry, directory_change`.execute(db)
    },
  }
}

function columnsOf(table: string): RawBuilder<unknown> {
  return sql.join(NAMES.map((name) => sql.ref(`${table}.${name}`)))
}

function toScored(row: Omit<Row, Component>): ListedEntry {
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
  }
}

function toEntry(row: Row): Entry {
  return {
    ...toScored(row),
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
  return {
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
