import type { Verdict } from '@touchstone/protocol/analysis'
import type { ReclassifiedType } from '@touchstone/protocol/control'
import type { Provenance, SealedCheckpoint, StoredRow } from '@touchstone/protocol/evidence'
import type { AssuranceCounts } from '@touchstone/protocol/score'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { sumsSince } from './assurance-store.ts'
import type { Head } from './head.ts'
import { type HeadRow, type SessionRow, toHead, toSession } from './head-store.ts'
import { type CheckpointRow, toSealed } from './row-store.ts'
import type { Session } from './session.ts'
import { createViolationDayStore } from './violation-day-store.ts'

type CheckpointTables = {
  checkpoint: CheckpointRow
  checkpoint_reclassification: {
    agent_id: string
    position: number
    new_type: ReclassifiedType
    applied_at: Date | null
  }
  checkpoint_owner: { checkpoint_id: string; agent_id: string; position: number }
  checkpoint_decision: { agent_id: string; decision_id: string; position: number }
  checkpoint_session: SessionRow
  chain_head: HeadRow
}

export type CheckpointFilter = {
  agentId: string
  verdict: Verdict | undefined
  sessionId: string | undefined
  synthetic: boolean | undefined
  flagged: boolean | undefined
  provenance: Provenance | undefined
  from: Date | undefined
  to: Date | undefined
  /** Only analysed checkpoints with a violation type. */
  violating?: true
  violationType?: string | undefined
  reclassified?: boolean | undefined
}

export function createCheckpointStore(db: Db) {
  const q = db.withTables<CheckpointTables>()
  const ownerOf = (checkpointId: string) =>
    q
      .selectFrom('checkpoint_owner')
      .select(['agent_id', 'position'])
      .where('checkpoint_id', '=', checkpointId)
      .executeTakeFirst()
  return {
    /** Creates the head of an empty chain. */
    async insertHead(agentId: AgentId): Promise<void> {
      await sql`insert into chain_head (agent_id) values (${agentId})`.execute(db)
    },

    /** Locks in order of agent id, as appending does, to prevent deadlocks. */
    async setClosed(agentIds: readonly AgentId[], closed: boolean): Promise<void> {
      await sql`update chain_head set closed = ${closed} from (
          select agent_id from chain_head where agent_id = any(${agentIds})
          order by agent_id for update) as locked
        where chain_head.agent_id = locked.agent_id`.execute(db)
    },

    async findHead(agentId: string): Promise<Head | undefined> {
      const row = await q
        .selectFrom('chain_head')
        .selectAll()
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return row && toHead(row)
    },

    /**
     * The existing heads of these agents in order of id, each with the ids of its sessions with trace
     * drift and its assurance counts summed from `firstDay` on; one snapshot.
     */
    async listHeads(
      agentIds: readonly string[],
      firstDay: number,
    ): Promise<{ head: Head; driftedSessionIds: string[]; assurance: AssuranceCounts }[]> {
      const drifted = sql<string[]>`array(
        select session_id from checkpoint_session as s
        where s.agent_id = chain_head.agent_id and s.trace_drift order by session_id)`
      const rows = await q
        .selectFrom('chain_head')
        .selectAll()
        .select(drifted.as('drifted'))
        .select(sumsSince(firstDay, 'chain_head.agent_id').as('assurance'))
        .where(sql<boolean>`agent_id = any(${agentIds})`)
        .orderBy('agent_id')
        .execute()
      return rows.map((row) => ({
        head: toHead(row),
        driftedSessionIds: row.drifted,
        assurance: row.assurance,
      }))
    },

    async find(checkpointId: string): Promise<SealedCheckpoint | undefined> {
      // Two steps, so that the second reads a single partition.
      const owner = await ownerOf(checkpointId)
      if (owner === undefined) return undefined
      const row = await selectSealed(q)
        .where('c.agent_id', '=', owner.agent_id)
        .where('c.position', '=', owner.position)
        .executeTakeFirst()
      return row && toSealed(row)
    },

    /** In chain order; from the first row if no position is given. */
    async listFrom(
      agentId: string,
      position: number | undefined,
      limit: number,
    ): Promise<SealedCheckpoint[]> {
      const rows = await selectSealed(q)
        .where('c.agent_id', '=', agentId)
        .$if(position !== undefined, (rest) => rest.where('c.position', '>=', position ?? 0))
        .orderBy('c.position')
        .limit(limit)
        .execute()
      return rows.map(toSealed)
    },

    /** In chain order; missing positions are left out. */
    /** In chain order; missing positions are left out. */
    async listAt(agentId: string, positions: readonly number[]): Promise<StoredRow[]> {
      const rows = await selectSealed(q)
        .select([
          sql<Buffer | null>`(select p.chain_hash from checkpoint p
            where p.agent_id = ${agentId} and p.position = c.position - 1)`.as('before'),
          sql<number | null>`(select o.position from checkpoint_owner o
            where o.checkpoint_id = c.checkpoint_id and o.agent_id = ${agentId})`.as('owned_at'),
        ])
        .where('c.agent_id', '=', agentId)
        .where(sql<boolean>`c.position = any(${positions}::bigint[])`)
        .orderBy('c.position')
        .execute()
      return rows.map(({ before, owned_at, ...row }) => ({
        ...toSealed(row),
        owned: owned_at === row.position,
        before: before?.toString('hex') ?? null,
      }))
    },

    async findLeaf(agentId: string, leafIndex: number): Promise<SealedCheckpoint | undefined> {
      const row = await selectSealed(q)
        .where('c.agent_id', '=', agentId)
        .where('c.leaf_index', '=', leafIndex)
        .orderBy('c.position', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toSealed(row)
    },

    /** The positions of the agent's checkpoints among these ids. */
    async positionsOf(
      agentId: string,
      checkpointIds: readonly string[],
    ): Promise<Map<string, number>> {
      const rows = await q
        .selectFrom('checkpoint_owner')
        .select(['checkpoint_id', 'position'])
        .where(sql<boolean>`checkpoint_id = any(${checkpointIds})`)
        .where('agent_id', '=', agentId)
        .execute()
      return new Map(rows.map((row) => [row.checkpoint_id, row.position]))
    },

    async listAgentsAfter(agentId: string, limit: number): Promise<string[]> {
      const rows = await q
        .selectFrom('chain_head')
        .select('agent_id')
        .where('agent_id', '>', agentId)
        .orderBy('agent_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.agent_id)
    },

    /** Heads with at least one leaf, in byte order of the agent ids. */
    async listHeadsAfter(agentId: string, limit: number): Promise<Head[]> {
      const rows = await q
        .selectFrom('chain_head')
        .selectAll()
        .where('leaf_count', '>', 0)
        .where(sql<boolean>`agent_id collate "C" > ${agentId}`)
        .orderBy(sql`agent_id collate "C"`)
        .limit(limit)
        .execute()
      return rows.map(toHead)
    },

    async hasLeafSince(since: Date): Promise<boolean> {
      const row = await q
        .selectFrom('chain_head')
        .select('agent_id')
        .where('leaf_at', '>=', since)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Newest first by timestamp. */
    async list(filter: CheckpointFilter, request: PageRequest): Promise<SealedCheckpoint[]> {
      const rows = await matching(selectSealed(q), filter)
        .orderBy('c.occurred_at', 'desc')
        .orderBy('c.checkpoint_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return rows.map(toSealed)
    },

    async count(filter: CheckpointFilter): Promise<number> {
      const counted = await matching(joined(q), filter)
        .select(sql<number>`count(*)`.as('total'))
        .executeTakeFirstOrThrow()
      return counted.total
    },

    /** The most recently active first. */
    async listSessions(
      agentId: string,
      request: PageRequest,
      total: number,
    ): Promise<Page<Session>> {
      const rows = await q
        .selectFrom('checkpoint_session')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('checkpoint_count', '>', 0)
        .orderBy('last_at', 'desc')
        .orderBy('session_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: rows.map(toSession), total }
    },

    async linkTrace(link: {
      agentId: string
      checkpointId: string
      traceId: string
    }): Promise<void> {
      const owner = await ownerOf(link.checkpointId)
      if (owner?.agent_id !== link.agentId) return
      await q
        .updateTable('checkpoint')
        .set({ linked_trace_id: link.traceId })
        .where('agent_id', '=', link.agentId)
        .where('position', '=', owner.position)
        .execute()
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('checkpoint').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('checkpoint_reclassification').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('checkpoint_decision').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('checkpoint_owner').where('agent_id', '=', agentId).execute()
      })
      await q.deleteFrom('checkpoint_session').where('agent_id', '=', agentId).execute()
      await sql`delete from assurance_day where agent_id = ${agentId}`.execute(db)
      await sql`delete from agent_novelty where agent_id = ${agentId}`.execute(db)
      await createViolationDayStore(db).deleteOfAgent(agentId)
      await q.deleteFrom('chain_head').where('agent_id', '=', agentId).execute()
    },
  }
}

/** Checkpoints with their reclassifications. */
function joined(q: Kysely<CheckpointTables>) {
  return q
    .selectFrom('checkpoint as c')
    .leftJoin('checkpoint_reclassification as r', (join) =>
      join.onRef('r.agent_id', '=', 'c.agent_id').onRef('r.position', '=', 'c.position'),
    )
}

function selectSealed(q: Kysely<CheckpointTables>) {
  return joined(q).selectAll('c').select(['r.new_type', 'r.applied_at'])
}

type JoinedTables = CheckpointTables & {
  c: CheckpointRow
  r: {
    [Column in keyof CheckpointTables['checkpoint_reclassification']]:
      | CheckpointTables['checkpoint_reclassification'][Column]
      | null
  }
}

function matching<Output>(
  found: SelectQueryBuilder<JoinedTables, 'c' | 'r', Output>,
  filter: CheckpointFilter,
): SelectQueryBuilder<JoinedTables, 'c' | 'r', Output> {
  const { verdict, sessionId, synthetic, flagged, provenance } = filter
  const { from, to, violating, violationType, reclassified } = filter
  let rows = found.where('c.agent_id', '=', filter.agentId)
  if (verdict !== undefined) rows = rows.where('c.verdict', '=', verdict)
  if (sessionId !== undefined) rows = rows.where('c.session_id', '=', sessionId)
  if (synthetic !== undefined) {
    rows = rows.where('c.synthetic_reason', synthetic ? 'is not' : 'is', null)
  }
  if (flagged !== undefined) rows = rows.where(sql<boolean>`(c.flags <> '{}') = ${flagged}`)
  if (provenance !== undefined) rows = rows.where('c.provenance', '=', provenance)
  if (from !== undefined) rows = rows.where('c.occurred_at', '>=', from)
  if (to !== undefined) rows = rows.where('c.occurred_at', '<=', to)
  if (violationType !== undefined) rows = rows.where('c.violation_type', '=', violationType)
  if (reclassified !== undefined) {
    rows = rows.where('r.new_type', reclassified ? 'is not' : 'is', null)
  }
  return violating === undefined ? rows : rows.where(VIOLATING)
}

/** spec: control §1.1. The verdict is repeated so that the partial index on non-clear rows is used. */
const VIOLATING = sql<boolean>`c.verdict <> 'clear' and c.synthetic_reason is null
  and c.violation_type is not null`
