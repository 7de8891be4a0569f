import type { Actor } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'

/** The first card of a new agent. */
export type Cards = {
  /** Throws a Problem naming each fault of a given card; stores the default one without any. */
  createFirst(
    tx: Db,
    input: { orgId: string; agentId: string; card: unknown; actor: Actor },
  ): Promise<{ cardId: string; version: number; warnings: readonly unknown[] }>
  erase(tx: Db, agentId: string): Promise<void>
}

/** What is kept about an agent elsewhere: begins with it, where that is needed, and goes with it. */
export type Evidence = {
  begin?(tx: Db, agentId: string): Promise<void>
  /** Nothing more is taken from archived agents, also not what is on its way. */
  close?(tx: Db, agentIds: readonly string[]): Promise<void>
  reopen?(tx: Db, agentIds: readonly string[]): Promise<void>
  /** It is archived by itself, not with its organisation, which may come back with all it had. */
  retire?(tx: Db, agentId: string): Promise<void>
  /** What they are called, who sees them, whose they are, or whether they are archived. */
  changed?(tx: Db, agentIds: readonly string[]): Promise<void>
  erase(tx: Db, agentId: string): Promise<void>
}
