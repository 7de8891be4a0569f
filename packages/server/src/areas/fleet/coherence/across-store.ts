import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { SideRecord } from './pair-record.ts'
import type { Times } from './store.ts'

/** Pair scores of agents with those of other organisations, recorded for the side that asked. */
export function createAcrossStore(db: Db) {
  return {
    /**
     * Skips records with the same score that are newer than `renewBefore`. Locks rows in order of
     * their ids, which avoids deadlocks.
     */
    async upsert(
      orgId: string,
      sides: readonly SideRecord[],
      { now, renewBefore, countedSince }: Times,
    ): Promise<void> {
      const given = sql`unnest(${sides.map((side) => side.agentId)}::text[],
        ${sides.map((side) => side.peerId)}::text[], ${sides.map((side) => side.scoreE4)}::smallint[]
        ) as given (agent_id, peer_id, score_e4)`
      await sql`with superseded as (
          select a.* from ${given} join coherence_across a using (agent_id, peer_id)
          where a.org_id = ${orgId}
            and (a.score_e4 <> given.score_e4 or a.checked_at <= ${countedSince})
          order by a.agent_id, a.peer_id for update of a)
        insert into coherence_past
          (agent_id, peer_id, score_e4, since, checked_at, superseded_at, across_orgs)
        select agent_id, peer_id, score_e4, since, checked_at, ${now}::timestamptz, true
        from superseded`.execute(db)
      await sql`insert into coherence_across as a
          (org_id, agent_id, peer_id, score_e4, since, checked_at)
        select ${orgId}, given.agent_id, given.peer_id, given.score_e4, ${now}::timestamptz,
          ${now}::timestamptz
        from ${given}
        left join coherence_across old on old.org_id = ${orgId}
          and old.agent_id = given.agent_id and old.peer_id = given.peer_id
        where old.score_e4 is null or old.score_e4 <> given.score_e4
          or old.checked_at < ${renewBefore}
        order by given.agent_id, given.peer_id
        on conflict (org_id, agent_id, peer_id) do update set
          since = case when a.score_e4 = excluded.score_e4 and a.checked_at > ${countedSince}
            then a.since else excluded.since end,
          score_e4 = excluded.score_e4, checked_at = excluded.checked_at`.execute(db)
    },

    /** Keeps the records of others about the agent, without its id, as long as scores need them. */
    async eraseAgent(agentId: string, now: Date): Promise<void> {
      await sql`delete from coherence_across where agent_id = ${agentId}`.execute(db)
      await sql`with gone as (delete from coherence_across where peer_id = ${agentId} returning *)
        insert into coherence_past
          (agent_id, peer_id, score_e4, since, checked_at, superseded_at, across_orgs)
        select agent_id, null, score_e4, since, checked_at, ${now}::timestamptz, true
        from gone`.execute(db)
    },

    async deleteCheckedBefore(time: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from coherence_across where ctid = any(array(
        select ctid from coherence_across where checked_at < ${time} limit ${rowsMax}
        for update skip locked))`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },
  }
}
