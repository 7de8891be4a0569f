import { TRUST_LEVELS, type TrustEdge, type TrustLevel } from '@touchstone/protocol/control'
import { type Kysely, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { Direction, StoredEdge } from './trust-edge.ts'

type EdgeRow = {
  edge_id: string
  source_agent_id: string
  target_agent_id: string
  trust_rank: number
  reason: string | null
  created_at: Date
}

type EdgeTables = { trust_edge: EdgeRow }

export function createTrustEdgeStore(db: Db) {
  const q = db.withTables<EdgeTables>()
  return {
    /** False if the source already trusts the target. */
    async insert(edge: StoredEdge): Promise<boolean> {
      const added = await q
        .insertInto('trust_edge')
        .values(toRow(edge))
        .onConflict((conflict) => conflict.constraint('trust_edge_once').doNothing())
        .executeTakeFirst()
      return added.numInsertedOrUpdatedRows === 1n
    },

    async countFrom(sourceAgentId: string): Promise<number> {
      const counted = await q
        .selectFrom('trust_edge')
        .select(sql<number>`count(*)`.as('total'))
        .where('source_agent_id', '=', sourceAgentId)
        .executeTakeFirstOrThrow()
      return counted.total
    },

    /** Newest first. */
    async list(
      agentId: string,
      direction: Direction,
      request: PageRequest,
    ): Promise<Page<StoredEdge>> {
      const rows = edgesOf(q, agentId, direction)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('edge_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toEdge), total: counted.total }
    },

    /** Returns the deleted edge, if it existed. */
    async delete(
      sourceAgentId: string,
      named: { edgeId: string } | { targetAgentId: string },
    ): Promise<StoredEdge | undefined> {
      const rows = q.deleteFrom('trust_edge').where('source_agent_id', '=', sourceAgentId)
      const row = await ('edgeId' in named
        ? rows.where('edge_id', '=', named.edgeId)
        : rows.where('target_agent_id', '=', named.targetAgentId)
      )
        .returningAll()
        .executeTakeFirst()
      return row && toEdge(row)
    },

    /**
     * At most `eachMax` edges per target, first in the order of propagation, using the index
     * alone.
     */
    async listInto(targetAgentIds: readonly string[], eachMax: number): Promise<TrustEdge[]> {
      const found = await sql<Omit<EdgeRow, 'edge_id' | 'reason' | 'created_at'>>`
        select wanted.agent_id as target_agent_id, e.source_agent_id, e.trust_rank
        from unnest(${targetAgentIds}::text[]) as wanted (agent_id)
        cross join lateral (
          select source_agent_id, trust_rank from trust_edge
          where target_agent_id = wanted.agent_id
          order by trust_rank, source_agent_id limit ${eachMax}) as e`.execute(db)
      return found.rows.map((row) => ({
        sourceAgentId: row.source_agent_id,
        targetAgentId: row.target_agent_id,
        trustLevel: levelOf(row.trust_rank),
      }))
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('trust_edge').where('source_agent_id', '=', agentId).execute()
      await q.deleteFrom('trust_edge').where('target_agent_id', '=', agentId).execute()
    },
  }
}

function edgesOf(q: Kysely<EdgeTables>, agentId: string, direction: Direction) {
  const rows = q.selectFrom('trust_edge')
  if (direction === 'out') return rows.where('source_agent_id', '=', agentId)
  if (direction === 'in') return rows.where('target_agent_id', '=', agentId)
  return rows.where((where) =>
    where.or([where('source_agent_id', '=', agentId), where('target_agent_id', '=', agentId)]),
  )
}

function levelOf(rank: number): TrustLevel {
  const level = TRUST_LEVELS[rank]
  if (level === undefined) throw new Error(`no trust level has the rank ${rank}`)
  return level
}

function toEdge(row: EdgeRow): StoredEdge {
  return {
    edgeId: row.edge_id,
    sourceAgentId: row.source_agent_id,
    targetAgentId: row.target_agent_id,
    trustLevel: levelOf(row.trust_rank),
    reason: row.reason,
    createdAt: row.created_at,
  }
}

function toRow(edge: StoredEdge): EdgeRow {
  return {
    edge_id: edge.edgeId,
    source_agent_id: edge.sourceAgentId,
    target_agent_id: edge.targetAgentId,
    trust_rank: TRUST_LEVELS.indexOf(edge.trustLevel),
    reason: edge.reason,
    created_at: edge.createdAt,
  }
}
