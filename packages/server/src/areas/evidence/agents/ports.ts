import type { Actor } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'

/** The first card of a new agent. */
export type Cards = {
  /** Stores the given card or, without one, the default. Throws a Problem that lists all faults. */
  createFirst(
    tx: Db,
    input: { orgId: string; agentId: string; card: unknown; actor: Actor },
  ): Promise<{ cardId: string; version: number; warnings: readonly unknown[] }>
}

/** The rows of agents in other features, in the transaction of the change. */
export type OwnedRows = {
  begin(tx: Db, agentId: AgentId): Promise<void>
  /** Archived agents accept nothing more, including submissions in flight. */
  archive(tx: Db, agentIds: readonly AgentId[]): Promise<void>
  restore(tx: Db, agentIds: readonly AgentId[]): Promise<void>
  /** Archived by itself. An agent archived with its organisation can be restored with it. */
  retire(tx: Db, agentId: AgentId): Promise<void>
  /** Name, visibility, owner or archival has changed. */
  change(tx: Db, agentIds: readonly AgentId[]): Promise<void>
  erase(tx: Db, agentId: AgentId): Promise<void>
}
