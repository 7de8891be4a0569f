import type { Db } from '../../../kernel/db.ts'
import type { ContainmentStatus } from './containment.ts'

type AgentOfOrg = { orgId: string; agentId: string }

export type Agents = {
  findControl(
    db: Db,
    agentId: string,
  ): Promise<(AgentOfOrg & { autoContainmentThreshold: number | null }) | undefined>
  /**
   * Locks the agent until the transaction ends. Throws `agent_not_found`, also for an agent of
   * another organisation, or `conflict` if it is archived.
   */
  lockControl(tx: Db, agent: AgentOfOrg): Promise<{ autoContainmentThreshold: number | null }>
  lockControls(tx: Db, agentIds: readonly string[]): Promise<void>
  /** Updates the status shown with the agent. */
  setStatus(tx: Db, agentId: string, status: ContainmentStatus): Promise<void>
  setAutoContainment(tx: Db, agentId: string, threshold: number | null): Promise<void>
}

export type Checkpoints = {
  chainLength(tx: Db, agentId: string): Promise<number>
  /** Counts consecutive boundary violations right before a position, skipping card gaps. */
  violationsBefore(
    tx: Db,
    chain: { agentId: string; from: number; before: number },
  ): Promise<number>
}
