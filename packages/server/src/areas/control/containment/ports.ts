import type { Db } from '../../../kernel/db.ts'
import type { ContainmentStatus } from './containment.ts'

type AgentOfOrg = { orgId: string; agentId: string }

export type Agents = {
  findControl(
    db: Db,
    agentId: string,
  ): Promise<(AgentOfOrg & { autoContainmentThreshold: number | null }) | undefined>
  /**
   * Nobody else moves it until the end. Throws `agent_not_found`, also for another organisation's,
   * or `conflict` once archived.
   */
  lockControl(tx: Db, agent: AgentOfOrg): Promise<{ autoContainmentThreshold: number | null }>
  lockControls(tx: Db, agentIds: readonly string[]): Promise<void>
  /** What the agent's own view shows. */
  setStatus(tx: Db, agentId: string, status: ContainmentStatus): Promise<void>
  setAutoContainment(tx: Db, agentId: string, threshold: number | null): Promise<void>
}

export type Checkpoints = {
  chainLength(tx: Db, agentId: string): Promise<number>
  /** Boundary violations in a row right before a position; gaps of the card are passed over. */
  violationsBefore(
    tx: Db,
    chain: { agentId: string; from: number; before: number },
  ): Promise<number>
}
