import { asPurger, type Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { ContainmentAction, ContainmentStatus } from './containment.ts'
import type { LogEntry } from './containment-log.ts'

type EntryRow = {
  agent_id: string
  entry_number: number
  entry_id: string
  action: ContainmentAction
  actor: string
  reason: string | null
  previous_status: ContainmentStatus
  new_status: ContainmentStatus
  created_at: Date
  chain_length: number
  prev_hash: string
  entry_hash: string
}

type ContainmentTables = { containment_entry: EntryRow }

export function createContainmentStore(db: Db) {
  const q = db.withTables<ContainmentTables>()
  /** Newest first. */
  const list = async (agentId: string, limit: number): Promise<LogEntry[]> => {
    const rows = await q
      .selectFrom('containment_entry')
      .selectAll()
      .where('agent_id', '=', agentId)
      .orderBy('entry_number', 'desc')
      .limit(limit)
      .execute()
    return rows.map(toEntry)
  }
  return {
    list,

    async findEntries(
      wanted: readonly { agentId: string; entryId: string }[],
    ): Promise<LogEntry[]> {
      if (wanted.length === 0) return []
      const agentIds = [...new Set(wanted.map(({ agentId }) => agentId))]
      const rows = await q
        .selectFrom('containment_entry')
        .selectAll()
        .where('agent_id', 'in', agentIds)
        .where(
          'entry_id',
          'in',
          wanted.map(({ entryId }) => entryId),
        )
        .execute()
      return rows.map(toEntry)
    },

    async findLast(agentId: string): Promise<LogEntry | undefined> {
      const [last] = await list(agentId, 1)
      return last
    },

    /**
     * The length of the agent's chain when it was last resumed or reactivated; 0 if it never
     * was.
     */
    async freedAt(agentId: string): Promise<number> {
      const row = await q
        .selectFrom('containment_entry')
        .select('chain_length')
        .where('agent_id', '=', agentId)
        .where('new_status', '=', 'active')
        .orderBy('entry_number', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.chain_length ?? 0
    },

    async insert(agentId: string, entry: LogEntry, chainLength: number): Promise<void> {
      await q
        .insertInto('containment_entry')
        .values({
          agent_id: agentId,
          entry_number: entry.entryNumber,
          entry_id: entry.id,
          action: entry.action,
          actor: entry.actor,
          reason: entry.reason,
          previous_status: entry.previousStatus,
          new_status: entry.newStatus,
          created_at: entry.createdAt,
          chain_length: chainLength,
          prev_hash: entry.prevHash,
          entry_hash: entry.entryHash,
        })
        .execute()
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('containment_entry').where('agent_id', '=', agentId).execute()
      })
    },
  }
}

function toEntry(row: EntryRow): LogEntry {
  return {
    id: row.entry_id,
    action: row.action,
    actor: row.actor,
    reason: row.reason,
    previousStatus: row.previous_status,
    newStatus: row.new_status,
    createdAt: row.created_at,
    entryNumber: row.entry_number,
    prevHash: row.prev_hash,
    entryHash: row.entry_hash,
  }
}
