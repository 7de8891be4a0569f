import type { MergedPolicy } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'
import type { TeamLayer } from './team-layers.ts'

type AgentOfOrg = { orgId: string; agentId: string }

export type Agents = {
  /** Those of them that there are; they stay as they are until the transaction ends. */
  describe(
    tx: Db,
    agentIds: readonly string[],
  ): Promise<readonly (AgentOfOrg & { archived: boolean })[]>
}

export type Policies = {
  /** What the agent is held to by its organisation and itself; nothing without either. */
  resolve(db: Db, agent: AgentOfOrg): Promise<{ policy: MergedPolicy } | undefined>
}

export type Teams = {
  /** The active teams of an agent. Asked for every call of a transaction that has teams. */
  layersOf(db: Db, agent: AgentOfOrg): Promise<readonly TeamLayer[]>
}

export type Containment = {
  /** Throws `forbidden` while the agent is paused or killed; it stays so until the end of `tx`. */
  assertFree(tx: Db, agent: AgentOfOrg): Promise<void>
}
