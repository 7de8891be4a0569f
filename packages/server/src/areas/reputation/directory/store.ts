import {
  type AssuranceTally,
  type Benchmarks,
  type Grade,
  isAssuranceLevel,
  type ScoreTally,
  type Tier,
} from '@touchstone/protocol/score'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { rowsOf } from '../../../postgres/rows.ts'
import type { Entry, IndexedEntry } from './entry.ts'

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
  assurance: number | null
  assured_score: number | null
  violation_count: number
  card_gap_count: number
}

/** The fields of an agent that the directory shows. */
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
  'assurance',
  'assured_score',
  'violation_count',
  'card_gap_count',
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

/** A PostgreSQL snapshot in text form: which transactions had committed at that time. */
export type Snapshot = string

export type Changes = {
  /** The snapshot of this read, to pass to the next one. */
  now: Snapshot
  /** False if some of the changes since then were trimmed. */
  complete: boolean
  agentIds: string[]
}

export function createDirectoryStore(db: Db) {
  const writes = createEntryWrites(db)
  const listed = createListedReads(db)
  const changes = createChangeLog(db)
  const benchmarks = createBenchmarkQueries(db)
  return {
    save: writes.save,
    saveFacts: writes.saveFacts,
    remove: writes.remove,

    /** Private entries only if they belong to the organisation. */
    async listShown(orgId: string, agentIds: readonly string[]): Promise<Entry[]> {
      const found = await sql<Row>`select ${COLUMNS} from directory_entry
        where agent_id = any(${agentIds}) and (is_listed or org_id = ${orgId})`.execute(db)
      return found.rows.map(toEntry)
    },

    listListed: listed.listListed,
    listListedAmong: listed.listListedAmong,
    currentSnapshot: changes.currentSnapshot,
    changesSince: changes.changesSince,
    trimChanges: changes.trimChanges,
    publicScores: benchmarks.publicScores,
    publicAssurances: benchmarks.publicAssurances,
    saveBenchmarks: benchmarks.saveBenchmarks,
    findBenchmarks: benchmarks.findBenchmarks,

    /** PostgreSQL does not allow VACUUM within a transaction. */
    async vacuum(): Promise<void> {
      await sql`vacuum (analyze) directory_entry, directory_change`.execute(db)
    },
  }
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
  assurance: 'smallint',
  assured_score: 'smallint',
  violation_count: 'integer',
  card_gap_count: 'integer',
  integrity_ratio: 'smallint',
  compliance: 'smallint',
  drift_stability: 'smallint',
  trace_completeness: 'smallint',
  coherence_compatibility: 'smallint',
}

function createEntryWrites(db: Db) {
  return {
    /** Skips unchanged rows, because every write is logged as a change for all searching nodes. */
    async save(entries: readonly Entry[]): Promise<void> {
      const rows = rowsOf(ENTRY_COLUMNS, entries.map(toRow).sort(byId))
      await sql`insert into directory_entry (${COLUMNS})
        select ${COLUMNS}
        from ${rows} as r
        on conflict (agent_id) do update set (${COLUMNS}) = (${columnsOf('excluded')})
        where (${columnsOf('directory_entry')}) is distinct from (${columnsOf('excluded')})
        `.execute(db)
    },

    /** Updates existing entries; inserts none. */
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

/** Reads for nodes that hold all listed entries in memory. */
function createListedReads(db: Db) {
  // Interned: most columns repeat few values, and a hundred thousand copies of each would take
  // more memory than everything else.
  const interned = new Map<string, string>()
  const intern = <Text extends string>(text: Text): Text => {
    const known = interned.get(text)
    if (known !== undefined) return known as Text
    interned.set(text, text)
    return text
  }
  const toListed = (row: Omit<Row, Component>): IndexedEntry => ({
    ...toScored(row),
    orgId: intern(row.org_id),
    visibility: intern(row.visibility),
    grade: intern(row.grade),
    tier: intern(row.tier),
    confidence: intern(row.confidence),
  })
  return {
    /** In order of agent id. */
    async listListed(afterAgentId: string, limit: number): Promise<IndexedEntry[]> {
      const found = await sql<Row>`select ${LISTED_COLUMNS} from directory_entry
        where is_listed and agent_id > ${afterAgentId} order by agent_id limit ${limit}`.execute(db)
      return found.rows.map(toListed)
    },

    async listListedAmong(agentIds: readonly string[]): Promise<IndexedEntry[]> {
      const found = await sql<Row>`select ${LISTED_COLUMNS} from directory_entry
        where is_listed and agent_id = any(${agentIds})`.execute(db)
      return found.rows.map(toListed)
    },
  }
}

/** The log of changed agent ids, written by a trigger. */
function createChangeLog(db: Db) {
  return {
    async currentSnapshot(): Promise<Snapshot> {
      const found = await sql<{ now: Snapshot }>`
        select pg_current_snapshot()::text as now`.execute(db)
      return found.rows[0]?.now ?? ''
    },

    /**
     * The changes committed since a snapshot. A floor in the future comes from the server that this
     * database was restored from; it is ignored, because snapshots were never taken there.
     */
    async changesSince(snapshot: Snapshot): Promise<Changes> {
      const found = await sql<{ now: Snapshot; complete: boolean; agent_ids: string[] }>`
        select pg_current_snapshot()::text as now,
          not exists (select from directory_change_floor
            where kept_from > pg_snapshot_xmin(${snapshot}::pg_snapshot)
              and kept_from < pg_snapshot_xmax(pg_current_snapshot())) as complete,
          array(select distinct agent_id from directory_change
            where xid >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
              and not pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot)) as agent_ids
        `.execute(db)
      const { now = snapshot, complete = false, agent_ids: agentIds = [] } = found.rows[0] ?? {}
      return { now, complete, agentIds }
    },

    /** Deletes changes from before the previous call, and those of a restored-from server. */
    async trimChanges(): Promise<void> {
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

function createBenchmarkQueries(db: Db) {
  return {
    async publicScores(): Promise<ScoreTally[]> {
      const found = await sql<ScoreTally>`select score, count(*) as count from directory_entry
        where is_public group by score`.execute(db)
      return found.rows
    },

    async publicAssurances(): Promise<AssuranceTally[]> {
      const found = await sql<{ assurance: number | null; count: number }>`
        select assurance, count(*) as count from directory_entry
        where is_public and assurance is not null group by assurance`.execute(db)
      return found.rows.flatMap(({ assurance: level, count }) =>
        isAssuranceLevel(level) ? [{ level, count }] : [],
      )
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
  }
}

function columnsOf(table: string): RawBuilder<unknown> {
  return sql.join(NAMES.map((name) => sql.ref(`${table}.${name}`)))
}

function toScored(row: Omit<Row, Component>): IndexedEntry {
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
    assurance: isAssuranceLevel(row.assurance) ? row.assurance : null,
    assuredScore: row.assured_score,
    reclassified: { cardGaps: row.card_gap_count, violations: row.violation_count },
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
    assurance: entry.assurance,
    assured_score: entry.assuredScore,
    violation_count: entry.reclassified.violations,
    card_gap_count: entry.reclassified.cardGaps,
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

/** All writers lock rows in this order, which avoids deadlocks. */
function byId(a: { agent_id: string }, b: { agent_id: string }): number {
  return a.agent_id < b.agent_id ? -1 : 1
}
