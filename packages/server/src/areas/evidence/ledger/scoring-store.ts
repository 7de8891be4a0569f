import { STREAK_MIN } from '@touchstone/protocol/bundle'
import type { Violation } from '@touchstone/protocol/score'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Runs } from './session.ts'

/** One row per agent; the columns hold one entry per violation, in the same order. */
type ViolationsRow = {
  agent_id: string
  session_ids: string
  /** In PostgreSQL's binary format: eight bytes each, microseconds since its epoch. */
  times: Buffer
  /** Null if the agent has none. */
  gaps: string | null
}

type ViolationsAsked = {
  after: Date
  /** Uses reclassifications as card gaps applied up to this time; undefined: all of them. */
  gapsBy: Date | undefined
  /** Ids of checkpoints to treat as card gaps, too. */
  alsoGaps?: readonly string[]
}

/** Number of newest checkpoints that latestLowNovelty searches. */
const LOW_NOVELTY_SEARCH_MAX = 5000

/** Reads for scores, bounded by an agent's recent violations rather than by its history. */
export function createScoringStore(db: Db) {
  return {
    /** Agents with at least one Merkle leaf that are not archived, in order of id. */
    async listScorable(afterAgentId: string, limit: number): Promise<string[]> {
      const found = await sql<{ agent_id: string }>`
        select agent_id from chain_head
        where agent_id > ${afterAgentId} and leaf_count > 0 and not closed
        order by agent_id limit ${limit}`.execute(db)
      return found.rows.map((row) => row.agent_id)
    },

    /** Like listScorable, for the ids from first to last, inclusive. */
    async listScorableIn(firstAgentId: string, lastAgentId: string): Promise<string[]> {
      const found = await sql<{ agent_id: string }>`
        select agent_id from chain_head
        where agent_id between ${firstAgentId} and ${lastAgentId} and leaf_count > 0
          and not closed
        order by agent_id`.execute(db)
      return found.rows.map((row) => row.agent_id)
    },

    /**
     * The violations later than `after` in each agent's chain up to a length, unordered; omits agents
     * without any. An index-only scan. One row per agent costs a third of one row per violation, and
     * times as text would double the cost. Card gaps are those that scores used by `gapsBy`, and
     * `alsoGaps`.
     * INVARIANT: no id contains a space.
     */
    async violations(
      chains: readonly { agentId: string; length: number }[],
      { after, gapsBy, alsoGaps = [] }: ViolationsAsked,
    ): Promise<Map<string, Violation[]>> {
      const moreGaps =
        alsoGaps.length === 0
          ? sql``
          : sql`union all select o.position from checkpoint_owner o
              where o.checkpoint_id = any(${alsoGaps}) and o.agent_id = wanted.agent_id`
      const found = await sql<ViolationsRow>`
        select wanted.agent_id, own.*
        from unnest(${chains.map((one) => one.agentId)}::text[],
                    ${chains.map((one) => one.length)}::bigint[]) as wanted (agent_id, length)
        cross join lateral (
          select array_agg(position) as positions from (
            select r.position from checkpoint_reclassification r
            where r.agent_id = wanted.agent_id and r.new_type = 'card_gap'
              and r.applied_at <= ${gapsBy ?? 'infinity'}::timestamptz ${moreGaps}) as gaps) as gap
        cross join lateral (
          select string_agg(c.session_id, ' ') as session_ids,
            string_agg(timestamptz_send(c.occurred_at), '') as times,
            string_agg(case when c.position = any(gap.positions) then 'y' else 'n' end, '')
              filter (where gap.positions is not null) as gaps
          from checkpoint c
          where c.agent_id = wanted.agent_id and c.verdict = 'boundary_violation'
            and c.synthetic_reason is null and c.occurred_at > ${after}
            and c.position < wanted.length) as own
        where own.session_ids is not null`.execute(db)
      return new Map(found.rows.map((row) => [row.agent_id, toViolations(row)]))
    },

    /**
     * The agents whose checkpoints received from one time up to another are all within a run of
     * positions. Reads the neighbours of the run only, as a chain is in the order of receipt.
     */
    async coveredBy(
      runs: readonly { agentId: string; first: number; last: number }[],
      { from, to }: { from: Date; to: Date },
    ): Promise<Set<string>> {
      const found = await sql<{ agent_id: string }>`
        select run.agent_id
        from unnest(${runs.map((one) => one.agentId)}::text[],
          ${runs.map((one) => one.first)}::bigint[],
          ${runs.map((one) => one.last)}::bigint[]) as run (agent_id, first, last)
        where not exists (select from checkpoint c where c.agent_id = run.agent_id
            and c.position = run.first - 1 and c.created_at >= ${from})
          and not exists (select from checkpoint c where c.agent_id = run.agent_id
            and c.position = run.last + 1 and c.created_at < ${to})`.execute(db)
      return new Set(found.rows.map((row) => row.agent_id))
    },

    async latestNotClear(
      chain: { agentId: string; length: number },
      limit: number,
    ): Promise<string[]> {
      const found = await sql<{ checkpoint_id: string }>`
        select checkpoint_id from checkpoint
        where agent_id = ${chain.agentId} and verdict <> 'clear' and synthetic_reason is null
          and position < ${chain.length}
        order by occurred_at desc, position desc limit ${limit}`.execute(db)
      return found.rows.map((row) => row.checkpoint_id)
    },

    /** Violations that the score of that time counted, newest first; ties in order of id. */
    async latestViolations(
      { agentId, length, computedAt }: { agentId: string; length: number; computedAt: Date },
      after: Date,
      limit: number,
    ): Promise<string[]> {
      const found = await sql<{ checkpoint_id: string }>`
        select c.checkpoint_id from checkpoint c
        where c.agent_id = ${agentId} and c.verdict = 'boundary_violation'
          and c.synthetic_reason is null and c.position < ${length}
          and c.occurred_at > ${after} and c.occurred_at <= ${computedAt}
          and not exists (
            select from checkpoint_reclassification r
            where r.agent_id = c.agent_id and r.position = c.position
              and r.new_type = 'card_gap' and r.applied_at <= ${computedAt})
        order by c.occurred_at desc, c.checkpoint_id collate "C" limit ${limit}`.execute(db)
      return found.rows.map((row) => row.checkpoint_id)
    },

    /**
     * Newest first, by position. Called only if more than a tenth of the clear checkpoints have one of
     * these flags, so a bounded number of the newest checkpoints contains enough of them.
     */
    async latestLowNovelty(
      chain: { agentId: string; length: number },
      limit: number,
    ): Promise<string[]> {
      const found = await sql<{ checkpoint_id: string }>`
        select checkpoint_id from checkpoint
        where agent_id = ${chain.agentId} and position < ${chain.length}
          and position >= ${chain.length - LOW_NOVELTY_SEARCH_MAX}
          and verdict = 'clear' and synthetic_reason is null and not excluded
          and flags && '{low_novelty,word_salad}'
        order by position desc limit ${limit}`.execute(db)
      return found.rows.map((row) => row.checkpoint_id)
    },

    /** The agent's analysed checkpoints among these ids that are not clear. */
    async notClearAmong(
      agentId: string,
      checkpointIds: readonly string[],
    ): Promise<{ checkpointId: string; sessionId: string }[]> {
      const found = await sql<{ checkpoint_id: string; session_id: string }>`
        select c.checkpoint_id, c.session_id from checkpoint_owner o
        join checkpoint c on c.agent_id = o.agent_id and c.position = o.position
        where o.checkpoint_id = any(${checkpointIds}) and o.agent_id = ${agentId}
          and c.verdict <> 'clear' and c.synthetic_reason is null`.execute(db)
      return found.rows.map((row) => ({
        checkpointId: row.checkpoint_id,
        sessionId: row.session_id,
      }))
    },

    /**
     * For each session, the longest run of checkpoints that are not clear, card gaps left out, and
     * the number of card gaps since the last clear one. Card gaps are the applied reclassifications
     * and `alsoGaps`. Omits sessions without a checkpoint in the scoring set.
     */
    async runs(
      agentId: string,
      sessionIds: readonly string[],
      alsoGaps: readonly string[] = [],
    ): Promise<Map<string, Runs>> {
      const found = await sql<{ session_id: string; longest: number; gaps_since_clear: number }>`
        with sequence as (
          select c.session_id, c.position, c.verdict = 'clear' as clear,
            (r.agent_id is not null or c.checkpoint_id = any(${alsoGaps})) as gap
          from checkpoint c
          left join checkpoint_reclassification r on r.agent_id = c.agent_id
            and r.position = c.position and r.new_type = 'card_gap' and r.applied_at is not null
          where c.agent_id = ${agentId} and c.session_id = any(${sessionIds})
            and c.synthetic_reason is null and not c.excluded
        ), stretch as (
          select session_id, place, count(*) filter (where not clear and not gap) as run,
            count(*) filter (where gap) as gaps
          from (select sequence.*, count(*) filter (where clear)
              over (partition by session_id order by position) as place from sequence) as placed
          group by session_id, place
        )
        select session_id, max(run) as longest,
          (array_agg(gaps order by place desc))[1] as gaps_since_clear
        from stretch group by session_id`.execute(db)
      return new Map(
        found.rows.map((row) => [
          row.session_id,
          { longest: row.longest, gapsSinceClear: row.gaps_since_clear },
        ]),
      )
    },

    /** The sessions among these that are unstable because of their checkpoints, not of trace drift. */
    async unstableAmong(agentId: string, sessionIds: readonly string[]): Promise<string[]> {
      const found = await sql<{ session_id: string }>`
        select session_id from checkpoint_session
        where agent_id = ${agentId} and session_id = any(${sessionIds})
          and unstable and not trace_drift and scored_count >= ${STREAK_MIN}`.execute(db)
      return found.rows.map((row) => row.session_id)
    },

    async latestUnstable(agentId: string, limit: number): Promise<string[]> {
      const found = await sql<{ session_id: string }>`
        select session_id from checkpoint_session
        where agent_id = ${agentId} and (unstable or trace_drift) and scored_count >= ${STREAK_MIN}
        order by last_at desc, session_id limit ${limit}`.execute(db)
      return found.rows.map((row) => row.session_id)
    },
  }
}

function toViolations({ session_ids, times, gaps }: ViolationsRow): Violation[] {
  return session_ids.split(' ').map((sessionId, at) => ({
    sessionId,
    timestampMs: readTimeMs(times, at * TIME_BYTES),
    cardGap: gaps !== null && gaps[at] === 'y',
  }))
}

const TIME_BYTES = 8
const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1)

/** INVARIANT: stored times are whole milliseconds, so nothing is lost. */
function readTimeMs(bytes: Buffer, offset: number): number {
  const micros = bytes.readInt32BE(offset) * 2 ** 32 + bytes.readUInt32BE(offset + 4)
  return POSTGRES_EPOCH_MS + micros / 1000
}
