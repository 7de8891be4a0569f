import { sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { TrailEnd, TrailEntry } from './trail.ts'

type CommentRow = {
  agent_id: string
  entry_number: number
  comment_id: string
  checkpoint_id: string
  author: string
  text: string
  created_at: Date
  prev_hash: string
  entry_hash: string
}

type CommentTables = { violation_comment: CommentRow }

/** The number of comments on one violation, and the latest of them. */
export type Said = { count: number; latest: readonly TrailEntry[] }

export function createCommentStore(db: Db) {
  const q = db.withTables<CommentTables>()
  return {
    async insert(agentId: string, entry: TrailEntry): Promise<void> {
      await q
        .insertInto('violation_comment')
        .values({
          agent_id: agentId,
          entry_number: entry.entryNumber,
          comment_id: entry.id,
          checkpoint_id: entry.checkpointId,
          author: entry.author,
          text: entry.text,
          created_at: entry.createdAt,
          prev_hash: entry.prevHash,
          entry_hash: entry.entryHash,
        })
        .execute()
    },

    async findEnd(agentId: string): Promise<TrailEnd | undefined> {
      const row = await q
        .selectFrom('violation_comment')
        .select(['entry_number', 'entry_hash'])
        .where('agent_id', '=', agentId)
        .orderBy('entry_number', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && { entryNumber: row.entry_number, entryHash: row.entry_hash }
    },

    /** Newest first. */
    async list(
      of: { agentId: string; checkpointId: string },
      request: PageRequest,
    ): Promise<Page<TrailEntry>> {
      const rows = q
        .selectFrom('violation_comment')
        .where('agent_id', '=', of.agentId)
        .where('checkpoint_id', '=', of.checkpointId)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('entry_number', 'desc')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toEntry), total: counted.total }
    },

    /**
     * Comments by checkpoint, up to an entry of the trail: the count and the latest `limit`,
     * oldest first.
     */
    async saidOf(
      agentId: string,
      checkpointIds: readonly string[],
      eachMax: number,
      throughEntry?: number,
    ): Promise<Map<string, Said>> {
      const through = throughEntry === undefined ? sql`` : sql`and entry_number <= ${throughEntry}`
      const found = await sql<CommentRow & { total: number }>`
        select * from (
          select c.*, count(*) over (partition by checkpoint_id) as total,
            row_number() over (partition by checkpoint_id order by entry_number desc) as place
          from violation_comment c
          where agent_id = ${agentId} and checkpoint_id = any(${checkpointIds}) ${through}) as said
        where place <= ${eachMax} order by entry_number`.execute(db)
      const said = new Map<string, Said>()
      for (const row of found.rows) {
        const before = said.get(row.checkpoint_id)?.latest ?? []
        said.set(row.checkpoint_id, { count: row.total, latest: [...before, toEntry(row)] })
      }
      return said
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('violation_comment').where('agent_id', '=', agentId).execute()
      })
    },
  }
}

function toEntry(row: CommentRow): TrailEntry {
  return {
    id: row.comment_id,
    checkpointId: row.checkpoint_id,
    author: row.author,
    text: row.text,
    createdAt: row.created_at,
    entryNumber: row.entry_number,
    prevHash: row.prev_hash,
    entryHash: row.entry_hash,
  }
}
