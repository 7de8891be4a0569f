import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../../kernel/db.ts'
import type { PairTable } from './pair-record.ts'

/** What an agent was found to be to a peer, as one of the two sees it. */
export type PeerScore = {
  /** Null once the peer is erased. */
  peerId: string | null
  scoreE4: number
  checkedAt: Date
}

/** Records of that time, none older than so. */
type Moment = { agentId: string; at: Date; since: Date }

export function createCoherenceStore(db: Db) {
  return { ...keeping(db), ...reading(db), ...ending(db) }
}

function keeping(db: Db) {
  return {
    /** Whether any two of them have a record. */
    async hasAny(agentIds: readonly string[]): Promise<boolean> {
      const found = await sql`select 1 from coherence_pair
        where agent_a = any(${agentIds}) and agent_b = any(${agentIds}) limit 1`.execute(db)
      return found.rows.length > 0
    },

    /**
     * For pairs without a record, which is quicker. False, with nothing written, when another wrote
     * one of them at the same time.
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
     * What says the same and is newer than `renewBefore` stays as it is. Pairs are in one order for
     * all, so that nobody waits in a ring.
     */
    async upsert(table: PairTable, { now, renewBefore, countedSince }: Times): Promise<void> {
      await sql`with over as (
          select p.* from ${given(table)} join coherence_pair p using (agent_a, agent_b)
          where p.score_e4 <> given.score_e4 or p.checked_at <= ${countedSince}
          order by p.agent_a, p.agent_b for update of p)
        insert into coherence_past (agent_id, peer_id, score_e4, since, checked_at, superseded_at)
        select agent_a, agent_b, score_e4, since, checked_at, ${now}::timestamptz from over
        union all
        select agent_b, agent_a, score_e4, since, checked_at, ${now}::timestamptz from over`.execute(
        db,
      )
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

type Times = {
  now: Date
  renewBefore: Date
  /** What was checked by then counts no more. */
  countedSince: Date
}

/** The pairs of a table as rows. The scores alone are sent for each of them. */
function given({ agentIds, scores }: PairTable) {
  return sql`(select a.id as agent_a, b.id as agent_b, (${scores}::smallint[])[
        (a.place - 1) * (2 * ${agentIds.length}::int - a.place) / 2 + b.place - a.place] as score_e4
      from unnest(${agentIds}::text[]) with ordinality as a (id, place)
      join unnest(${agentIds}::text[]) with ordinality as b (id, place) on a.place < b.place) as given`
}

function reading(db: Db) {
  return {
    async sums(
      agentIds: readonly string[],
      since: Date,
    ): Promise<Map<string, { count: number; pairScoreE4Sum: number }>> {
      const found = await sql<{ agent_id: string; count: number; sum: number }>`
        select agent_id, count(*) as count, sum(score_e4) as sum from (
          select agent_a as agent_id, score_e4 from coherence_pair
          where agent_a = any(${agentIds}) and checked_at > ${since}
          union all
          select agent_b, score_e4 from coherence_pair
          where agent_b = any(${agentIds}) and checked_at > ${since}) as sides
        group by agent_id`.execute(db)
      return new Map(
        found.rows.map((row) => [row.agent_id, { count: row.count, pairScoreE4Sum: row.sum }]),
      )
    },

    /** What counted for an agent at that time, by peer. */
    async usedAt({ agentId, at, since }: Moment): Promise<PeerScore[]> {
      const found = await sql<Row>`${recordsAt({ agentId, at, since })}
        order by peer_id`.execute(db)
      return found.rows.map(toPeerScore)
    },

    /** The same, the lowest score first. */
    async lowestAt(moment: Moment, limit: number): Promise<PeerScore[]> {
      const found = await sql<Row>`${recordsAt(moment)}
        order by score_e4, peer_id limit ${limit}`.execute(db)
      return found.rows.map(toPeerScore)
    },
  }
}

/** A record that was renewed since stood at that time, too: it says since when. */
function recordsAt({ agentId, at, since }: Moment) {
  const counted = sql`since <= ${at} and checked_at > ${since}`
  const lastCheck = sql`case when checked_at <= ${at} then checked_at else since end as checked_at`
  return sql`select agent_b as peer_id, score_e4, ${lastCheck} from coherence_pair
      where agent_a = ${agentId} and ${counted}
    union all
    select agent_a, score_e4, ${lastCheck} from coherence_pair
      where agent_b = ${agentId} and ${counted}
    union all
    select peer_id, score_e4, ${lastCheck} from coherence_past
      where agent_id = ${agentId} and superseded_at > ${at} and ${counted}`
}

function ending(db: Db) {
  return {
    /** Its peers keep for a while what their scores may rest on, without knowing whose it was. */
    async forget(agentId: string, now: Date): Promise<void> {
      await sql`delete from coherence_past where agent_id = ${agentId}`.execute(db)
      await sql`update coherence_past set peer_id = null where peer_id = ${agentId}`.execute(db)
      await sql`with gone as (
          delete from coherence_pair where agent_a = ${agentId} or agent_b = ${agentId} returning *)
        insert into coherence_past (agent_id, peer_id, score_e4, since, checked_at, superseded_at)
        select case when agent_a = ${agentId} then agent_b else agent_a end, null, score_e4, since,
          checked_at, ${now}::timestamptz from gone`.execute(db)
    },

    async deleteCheckedBefore(time: Date, rowsMax: number): Promise<number> {
      const gone = await sql`delete from coherence_pair where ctid = any(array(
        select ctid from coherence_pair where checked_at < ${time} limit ${rowsMax}
        for update skip locked))`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },

    async deleteSupersededBefore(time: Date, rowsMax: number): Promise<number> {
      const gone = await sql`delete from coherence_past where ctid = any(array(
        select ctid from coherence_past where superseded_at < ${time} limit ${rowsMax}
        for update skip locked))`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },
  }
}

type Row = { peer_id: string | null; score_e4: number; checked_at: Date }

function toPeerScore(row: Row): PeerScore {
  return { peerId: row.peer_id, scoreE4: row.score_e4, checkedAt: row.checked_at }
}
