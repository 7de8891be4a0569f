import type { MergedPolicy } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'
import type { TeamLayer } from './team-layers.ts'

type AgentOfOrg = { orgId: string; agentId: string }

export type Agents = {
  /** Returns the agents that exist, and locks them until the database transaction ends. */
  describe(
    tx: Db,
    agentIds: readonly string[],
  ): Promise<readonly (AgentOfOrg & { archived: boolean })[]>
}

export type Policies = {
  /** The merged policy of organisation and agent; undefined if neither has one. */
  resolve(db: Db, agent: AgentOfOrg): Promise<{ policy: MergedPolicy } | undefined>
}

export type Teams = {
  /** The active teams of an agent. Read for every call that names a transaction with teams. */
  layersOf(db: Db, agent: AgentOfOrg): Promise<readonly TeamLayer[]>
}

export type Containment = {
  /** Throws `forbidden` if the agent is paused or killed; locks that state until the end of `tx`. */
  assertFree(tx: Db, agent: AgentOfOrg): Promise<void>
}
