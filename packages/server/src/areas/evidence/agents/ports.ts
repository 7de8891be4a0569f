import type { Actor } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'

/** The first card of a new agent. */
export type Cards = {
  /** Throws a Problem naming each fault of a given card; stores the default one without any. */
  createFirst(
    tx: Db,
    input: { orgId: string; agentId: string; card: unknown; actor: Actor },
  ): Promise<{ cardId: string; version: number; warnings: readonly unknown[] }>
}

/** The rows of agents in other features, in the transaction of the change. */
export type OwnedRows = {
  begin(tx: Db, agentId: AgentId): Promise<void>
  /** Nothing more is taken from archived agents, also not what is on its way. */
  archive(tx: Db, agentIds: readonly AgentId[]): Promise<void>
  restore(tx: Db, agentIds: readonly AgentId[]): Promise<void>
  /** It is archived by itself, not with its organisation, which may come back with all it had. */
  retire(tx: Db, agentId: AgentId): Promise<void>
  /** What they are called, who sees them, whose they are, or whether they are archived. */
  change(tx: Db, agentIds: readonly AgentId[]): Promise<void>
  erase(tx: Db, agentId: AgentId): Promise<void>
}
