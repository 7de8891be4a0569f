import type { SealedCheckpoint } from './rebuild.ts'

export type Checkpoints = {
  /** Undefined when unknown. */
  findSealed(checkpointId: string): Promise<(SealedCheckpoint & { agentId: string }) | undefined>
  /** Where an agent's tree ends; undefined, or without a leaf, while it is empty. */
  findHead(agentId: string): Promise<{ leafCount: number; updatedAt: Date } | undefined>
}

export type Agents = {
  /** Throws `agent_not_found`, also for one that these organisations may not see. */
  get(agentId: string, orgIds: readonly string[]): Promise<{ own: boolean }>
}
