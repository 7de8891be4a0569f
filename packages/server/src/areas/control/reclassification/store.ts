import type { ReclassifiedType } from '@touchstone/protocol/control'
import { type RawBuilder, sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'

type ReclassificationRow = {
  agent_id: string
  reclassification_id: string
  checkpoint_id: string
  original_type: string
  new_type: ReclassifiedType
  reason: string
  card_amendment_id: string | null
  links_amendment: boolean
  approved_by: string
  created_at: Date
  score_before: number | null
  score_after: number | null
  recomputed_at: Date | null
}

type ReclassificationTables = { reclassification: ReclassificationRow }

export type Reclassification = {
  agentId: string
  reclassificationId: string
  checkpointId: string
  originalType: string
  newType: ReclassifiedType
  reason: string
  cardAmendmentId: string | null
  approvedBy: string
  createdAt: Date
  scoreBefore: number | null
  scoreAfter: number | null
  /** Null until a score includes it. */
  recomputedAt: Date | null
}

export type ReclassificationPlace = Pick<Reclassification, 'createdAt' | 'reclassificationId'>

/**
 * A time range with inclusive bounds, up to a last reclassification; null means before the
 * first.
 */
export type ReclassificationSpan = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  through: ReclassificationPlace | null
}

/** The result of reclassifying a violation. */
export type Known = Pick<Reclassification, 'reclassificationId' | 'newType'>

export type Settled = { agentId: string; reclassificationId: string; scoreAfter: number | null }

export function createReclassificationStore(db: Db) {
  const q = db.withTables<ReclassificationTables>()
  return {
    /** The first reclassification that cites an amendment is linked to it. */
    async insert(one: Reclassification): Promise<void> {
      const first = sql<boolean>`${one.cardAmendmentId}::text is not null and not exists (
        select 1 from reclassification where agent_id = ${one.agentId}
          and card_amendment_id = ${one.cardAmendmentId} and links_amendment)`
      await q
        .insertInto('reclassification')
        .values({ ...toRow(one), links_amendment: first })
        .execute()
    },

    /** Newest first. */
    async list(agentId: string, request: PageRequest): Promise<Page<Reclassification>> {
      const rows = q.selectFrom('reclassification').where('agent_id', '=', agentId)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('reclassification_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toValue), total: counted.total }
    },

    /** Oldest first. */
    async listAfter(
      span: ReclassificationSpan,
      after: ReclassificationPlace | undefined,
      limit: number,
    ): Promise<Reclassification[]> {
      let rows = q
        .selectFrom('reclassification')
        .selectAll()
        .where('agent_id', '=', span.agentId)
        .where(upTo(span.through))
      if (span.from !== undefined) rows = rows.where('created_at', '>=', span.from)
      if (span.to !== undefined) rows = rows.where('created_at', '<=', span.to)
      if (after !== undefined) {
        const { createdAt, reclassificationId } = after
        // Redundant, but gives the index a starting point.
        rows = rows
          .where('created_at', '>=', createdAt)
          .where(
            sql<boolean>`(created_at > ${createdAt} or reclassification_id < ${reclassificationId})`,
          )
      }
      // Ties are ordered by id, like the index read backwards.
      const found = await rows
        .orderBy('created_at')
        .orderBy('reclassification_id', 'desc')
        .limit(limit)
        .execute()
      return found.map(toValue)
    },

    /** The last in the order of `listAfter`; null if there is none. */
    async findLast(agentId: string): Promise<ReclassificationPlace | null> {
      const row = await q
        .selectFrom('reclassification')
        .select(['created_at', 'reclassification_id'])
        .where('agent_id', '=', agentId)
        .orderBy('created_at', 'desc')
        .orderBy('reclassification_id')
        .limit(1)
        .executeTakeFirst()
      return row === undefined
        ? null
        : { createdAt: row.created_at, reclassificationId: row.reclassification_id }
    },

    /** Reclassifications by checkpoint, up to a place if one is given. */
    async knownOf(
      agentId: string,
      checkpointIds: readonly string[],
      through?: ReclassificationPlace | null,
    ): Promise<Map<string, Known>> {
      const rows = await q
        .selectFrom('reclassification')
        .select(['checkpoint_id', 'reclassification_id', 'new_type'])
        .where('agent_id', '=', agentId)
        .where(sql<boolean>`checkpoint_id = any(${checkpointIds})`)
        .where(upTo(through))
        .execute()
      return new Map(
        rows.map((row) => [
          row.checkpoint_id,
          { reclassificationId: row.reclassification_id, newType: row.new_type },
        ]),
      )
    },

    /** Linked reclassifications by amendment, up to a place if one is given. */
    async linksOf(
      agentId: string,
      amendmentIds: readonly string[],
      through?: ReclassificationPlace | null,
    ): Promise<Map<string, string>> {
      const found = await sql<{ card_amendment_id: string; reclassification_id: string }>`
        select card_amendment_id, reclassification_id from reclassification
        where agent_id = ${agentId} and card_amendment_id = any(${amendmentIds})
          and links_amendment and ${upTo(through)}`.execute(db)
      return new Map(found.rows.map((row) => [row.card_amendment_id, row.reclassification_id]))
    },

    /** Oldest first. */
    async listPending(agentIds: readonly string[]): Promise<Reclassification[]> {
      const rows = await q
        .selectFrom('reclassification')
        .selectAll()
        .where(sql<boolean>`agent_id = any(${agentIds})`)
        .where('recomputed_at', 'is', null)
        .orderBy('agent_id')
        .orderBy('created_at')
        .execute()
      return rows.map(toValue)
    },

    async settle(settled: readonly Settled[], at: Date): Promise<void> {
      await sql`update reclassification r set recomputed_at = ${at}, score_after = given.score_after
        from unnest(${settled.map((one) => one.agentId)}::text[],
                    ${settled.map((one) => one.reclassificationId)}::text[],
                    ${settled.map((one) => one.scoreAfter)}::smallint[])
          as given (agent_id, reclassification_id, score_after)
        where r.agent_id = given.agent_id
          and r.reclassification_id = given.reclassification_id`.execute(db)
    },

    async countApplied(agentId: string): Promise<number> {
      const counted = await q
        .selectFrom('reclassification')
        .select(sql<number>`count(*)`.as('total'))
        .where('agent_id', '=', agentId)
        .where('new_type', '=', 'card_gap')
        .where('recomputed_at', 'is not', null)
        .executeTakeFirstOrThrow()
      return counted.total
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('reclassification').where('agent_id', '=', agentId).execute()
      })
    },
  }
}

function upTo(place: ReclassificationPlace | null | undefined): RawBuilder<boolean> {
  if (place === undefined) return sql<boolean>`true`
  if (place === null) return sql<boolean>`false`
  const { createdAt, reclassificationId } = place
  return sql<boolean>`(created_at < ${createdAt}
    or (created_at = ${createdAt} and reclassification_id >= ${reclassificationId}))`
}

function toValue(row: ReclassificationRow): Reclassification {
  return {
    agentId: row.agent_id,
    reclassificationId: row.reclassification_id,
    checkpointId: row.checkpoint_id,
    originalType: row.original_type,
    newType: row.new_type,
    reason: row.reason,
    cardAmendmentId: row.card_amendment_id,
    approvedBy: row.approved_by,
    createdAt: row.created_at,
    scoreBefore: row.score_before,
    scoreAfter: row.score_after,
    recomputedAt: row.recomputed_at,
  }
}

function toRow(one: Reclassification): Omit<ReclassificationRow, 'links_amendment'> {
  return {
    agent_id: one.agentId,
    reclassification_id: one.reclassificationId,
    checkpoint_id: one.checkpointId,
    original_type: one.originalType,
    new_type: one.newType,
    reason: one.reason,
    card_amendment_id: one.cardAmendmentId,
    approved_by: one.approvedBy,
    created_at: one.createdAt,
    score_before: one.scoreBefore,
    score_after: one.scoreAfter,
    recomputed_at: one.recomputedAt,
  }
}
