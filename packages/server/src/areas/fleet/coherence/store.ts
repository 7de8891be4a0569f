import type { PeerScores } from '@touchstone/protocol/score'
import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../../kernel/db.ts'
import type { PairTable } from './pair-record.ts'

/** A pair score from the perspective of one of the two agents. */
export type PeerScore = {
  /** Null once the peer is erased. */
  peerId: string | null
  scoreE4: number
  checkedAt: Date
  /** Whether the peer belongs to another organisation. */
  acrossOrgs: boolean
}

/** The records of an agent that counted at a time: valid then, and checked after `since`. */
type CountedAt = { agentId: string; at: Date; since: Date }

export function createCoherenceStore(db: Db) {
  const writes = createPairWrites(db)
  const reads = createPairReads(db)
  const deletes = createPairDeletes(db)
  return {
    hasAny: writes.hasAny,
    insert: writes.insert,
    upsert: writes.upsert,
    sums: reads.sums,
    usedAt: reads.usedAt,
    lowestAt: reads.lowestAt,
    eraseAgent: deletes.eraseAgent,
    deleteCheckedBefore: deletes.deleteCheckedBefore,
    deleteSupersededBefore: deletes.deleteSupersededBefore,
  }
}

function createPairWrites(db: Db) {
  return {
    /** True if any two of the agents have a record. */
    async hasAny(agentIds: readonly string[]): Promise<boolean> {
      const found = await sql`select 1 from coherence_pair
        where agent_a = any(${agentIds}) and agent_b = any(${agentIds}) limit 1`.execute(db)
      return found.rows.length > 0
    },

    /**
     * Inserts pairs without a record, which is faster than an upsert. Returns false, with nothing
     * written, if a concurrent transaction inserted one of them.
     */
    async insert(table: PairTable, now: Date): Promise<boolean> {
      await sql`savepoint coherence`.execute(db)
      try {
        await sql`insert into coherence_pair (agent_a, agent_b, score_e4, since, checked_at)
          select agent_a, agent_b, score_e4, ${now}::timestamptz, ${now}::timestamptz
          from ${given(table)}`.execute(db)
        return true
      } catch (err) {
        if (!isUniqueViolation(err)) throw err
        await sql`rollback to savepoint coherence`.execute(db)
        return false
      }
    },

    /**
     * Skips records with the same score that are newer than `renewBefore`. Locks rows in order of
     * the pair, which avoids deadlocks.
     */
    async upsert(table: PairTable, { now, renewBefore, countedSince }: Times): Promise<void> {
      await sql`with superseded as (
          select p.* from ${given(table)} join coherence_pair p using (agent_a, agent_b)
          where p.score_e4 <> given.score_e4 or p.checked_at <= ${countedSince}
          order by p.agent_a, p.agent_b for update of p)
        insert into coherence_past (agent_id, peer_id, score_e4, since, checked_at, superseded_at)
        select agent_a, agent_b, score_e4, since, checked_at, ${now}::timestamptz
        from superseded
        union all
        select agent_b, agent_a, score_e4, since, checked_at, ${now}::timestamptz
        from superseded`.execute(db)
      await sql`insert into coherence_pair as p (agent_a, agent_b, score_e4, since, checked_at)
        select agent_a, agent_b, given.score_e4, ${now}::timestamptz, ${now}::timestamptz
        from ${given(table)} left join coherence_pair old using (agent_a, agent_b)
        where old.score_e4 is null or old.score_e4 <> given.score_e4
          or old.checked_at < ${renewBefore}
        order by agent_a, agent_b
        on conflict (agent_a, agent_b) do update set
          since = case when p.score_e4 = excluded.score_e4 and p.checked_at > ${countedSince}
            then p.since else excluded.since end,
          score_e4 = excluded.score_e4, checked_at = excluded.checked_at`.execute(db)
    },
  }
}

export type Times = {
  now: Date
  renewBefore: Date
  /** Records checked at or before this time do not count. */
  countedSince: Date
}

/** The pairs of a table as rows, expanded in SQL so that only the scores are sent per pair. */
function given({ agentIds, scores }: PairTable) {
  return sql`(select a.id as agent_a, b.id as agent_b, (${scores}::smallint[])[
        (a.place - 1) * (2 * ${agentIds.length}::int - a.place) / 2 + b.place - a.place] as score_e4
      from unnest(${agentIds}::text[]) with ordinality as a (id, place)
      join unnest(${agentIds}::text[]) with ordinality as b (id, place) on a.place < b.place) as given`
}

function createPairReads(db: Db) {
  return {
    async sums(agentIds: readonly string[], since: Date): Promise<Map<string, PeerScores>> {
      const found = await sql<SumRow>`
        select agent_id, count(*) as count, sum(score_e4) as sum,
          count(*) filter (where across_orgs) as across_count,
          coalesce(sum(score_e4) filter (where across_orgs), 0) as across_sum
        from (
          select agent_a as agent_id, score_e4, false as across_orgs from coherence_pair
          where agent_a = any(${agentIds}) and checked_at > ${since}
          union all
          select agent_b, score_e4, false from coherence_pair
          where agent_b = any(${agentIds}) and checked_at > ${since}
          union all
          select agent_id, score_e4, true from coherence_across
          where agent_id = any(${agentIds}) and checked_at > ${since}) as sides
        group by agent_id`.execute(db)
      return new Map(found.rows.map((row) => [row.agent_id, toPeerScores(row)]))
    },

    /** The pair scores of an agent that counted at that time, in order of peer id. */
    async usedAt({ agentId, at, since }: CountedAt): Promise<PeerScore[]> {
      const found = await sql<Row>`${recordsAt({ agentId, at, since })}
        order by peer_id`.execute(db)
      return found.rows.map(toPeerScore)
    },

    /** The same, lowest score first. */
    async lowestAt(moment: CountedAt, limit: number): Promise<PeerScore[]> {
      const found = await sql<Row>`${recordsAt(moment)}
        order by score_e4, peer_id limit ${limit}`.execute(db)
      return found.rows.map(toPeerScore)
    },
  }
}

/** A record that was refreshed later also counted at that time if its score is older (`since`). */
function recordsAt({ agentId, at, since }: CountedAt) {
  const counted = sql`since <= ${at} and checked_at > ${since}`
  const lastCheck = sql`case when checked_at <= ${at} then checked_at else since end as checked_at`
  return sql`select agent_b as peer_id, score_e4, ${lastCheck}, false as across_orgs
      from coherence_pair where agent_a = ${agentId} and ${counted}
    union all
    select agent_a, score_e4, ${lastCheck}, false
      from coherence_pair where agent_b = ${agentId} and ${counted}
    union all
    select peer_id, score_e4, ${lastCheck}, true
      from coherence_across where agent_id = ${agentId} and ${counted}
    union all
    select peer_id, score_e4, ${lastCheck}, across_orgs from coherence_past
      where agent_id = ${agentId} and superseded_at > ${at} and ${counted}`
}

function createPairDeletes(db: Db) {
  return {
    /** Keeps the peers' records, without the agent's id, as long as their scores may need them. */
    async eraseAgent(agentId: string, now: Date): Promise<void> {
      await sql`delete from coherence_past where agent_id = ${agentId}`.execute(db)
      await sql`update coherence_past set peer_id = null where peer_id = ${agentId}`.execute(db)
      await sql`with gone as (
          delete from coherence_pair where agent_a = ${agentId} or agent_b = ${agentId} returning *)
        insert into coherence_past (agent_id, peer_id, score_e4, since, checked_at, superseded_at)
        select case when agent_a = ${agentId} then agent_b else agent_a end, null, score_e4, since,
          checked_at, ${now}::timestamptz from gone`.execute(db)
    },

    async deleteCheckedBefore(time: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from coherence_pair where ctid = any(array(
        select ctid from coherence_pair where checked_at < ${time} limit ${rowsMax}
        for update skip locked))`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },

    async deleteSupersededBefore(time: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from coherence_past where ctid = any(array(
        select ctid from coherence_past where superseded_at < ${time} limit ${rowsMax}
        for update skip locked))`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },
  }
}

type SumRow = {
  agent_id: string
  count: number
  sum: number
  across_count: number
  across_sum: number
}

function toPeerScores(row: SumRow): PeerScores {
  const acrossOrgs = { count: row.across_count, pairScoreE4Sum: row.across_sum }
  const all = { count: row.count, pairScoreE4Sum: row.sum }
  return acrossOrgs.count === 0 ? all : { ...all, acrossOrgs }
}

type Row = { peer_id: string | null; score_e4: number; checked_at: Date; across_orgs: boolean }

function toPeerScore(row: Row): PeerScore {
  return {
    peerId: row.peer_id,
    scoreE4: row.score_e4,
    checkedAt: row.checked_at,
    acrossOrgs: row.across_orgs,
  }
}
