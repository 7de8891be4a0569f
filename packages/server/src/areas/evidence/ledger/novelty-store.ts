import { fromSlots, type HashSlot, type RecentHashes } from '@touchstone/protocol/evidence'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { rowsOf } from '../../../postgres/rows.ts'

type NovelRow = { agent_id: string; first: number; hashes: Buffer }

/** A part of the hashes of an agent's last texts. */
export type AgentSlot = HashSlot & { agentId: string }

const SLOT_COLUMNS = {
  agent_id: 'text',
  slot: 'smallint',
  first: 'bigint',
  hashes: 'hex',
}

export function createNoveltyStore(db: Db) {
  return {
    /** The hashes of the last texts of those agents that have any. */
    async recent(agentIds: readonly string[]): Promise<Map<string, RecentHashes>> {
      const found = await sql<NovelRow>`
        select agent_id, first, hashes from agent_novelty
        where agent_id = any(${agentIds})`.execute(db)
      const slots = new Map<string, NovelRow[]>()
      for (const row of found.rows) {
        const own = slots.get(row.agent_id)
        if (own === undefined) slots.set(row.agent_id, [row])
        else own.push(row)
      }
      return new Map([...slots].map(([agentId, rows]) => [agentId, fromSlots(rows)]))
    },
  }
}

/** Stores slots, as a part of the statement that stores the checkpoints. */
export function addSlots(slots: readonly AgentSlot[]): RawBuilder<unknown> {
  return sql`
          insert into agent_novelty (agent_id, slot, first, hashes)
          select agent_id, slot, first, hashes
          from ${rowsOf(SLOT_COLUMNS, slots.map(toRow))} as r
          on conflict (agent_id, slot) do update set
            first = excluded.first, hashes = excluded.hashes`
}

function toRow({ agentId, slot, first, hashes }: AgentSlot) {
  return { agent_id: agentId, slot, first, hashes }
}
