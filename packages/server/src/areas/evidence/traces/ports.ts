import type { Db } from '../../../kernel/db.ts'
import type { TracePolicy } from './trace.ts'
import type { TraceCard } from './verify-trace.ts'

export type Agents = {
  orgOf(agentId: string): Promise<string | undefined>
  /**
   * Updates when the agent was last active, and locks it until the transaction ends. Throws
   * `agent_not_found`, also for another organisation's agent, or `conflict` if it is archived.
   */
  hear(tx: Db, agent: { agentId: string; orgId: string }): Promise<void>
}

type Card = TraceCard & { card_id?: string; audit_commitment: { retention_days: number } }

export type Cards = {
  /**
   * The named card or, without a name, the one active at that time, composed with the organisation's
   * template. If the agent has no such card, the active one with `named: false`.
   */
  findForTrace(
    db: Db,
    wanted: { orgId: string; agentId: string; cardId: string | undefined; at: Date },
  ): Promise<{ cardId: string; card: Card; named: boolean }>
  /** Composes a card that is not stored. Throws a Problem that lists its faults. */
  accept(agent: { orgId: string; agentId: string }, card: unknown): Promise<Card>
}

export type Checkpoints = {
  /** Undefined if the agent has no such checkpoint. */
  findVerdict(
    db: Db,
    checkpoint: { agentId: string; checkpointId: string },
  ): Promise<string | undefined>
  /** Links the checkpoint to its trace. */
  linkTrace(tx: Db, link: { agentId: string; checkpointId: string; traceId: string }): Promise<void>
}

export type Drift = {
  /**
   * Checks for drift after the agent's trace is stored. Returns how many traces were compared and
   * how many alerts were opened. Declared values are shortened like applied ones.
   */
  followTrace(
    tx: Db,
    org: { orgId: string; accountId: string },
    trace: { agentId: string; cardId: string; declaredValues: readonly string[] },
  ): Promise<{ tracesAnalyzed: number; alertsOpened: number }>
}

type ToolUse = { agentId: string; tools: readonly string[] }

export type PolicyJudgement = {
  findings: TracePolicy
  /** Stores it in the transaction of the trace. */
  record(tx: Db, traceId: string): Promise<void>
  /** Must be called after commit. */
  settle(): void
}

/** The policies of some traces, loaded into memory. */
export type PreparedPolicies = {
  /**
   * Evaluates the policy in force at the time of the trace; undefined if there is none. `sighted`
   * are the agent's tools first seen in the same transaction; recording adds to them.
   */
  judge(trace: ToolUse & { at: Date }, sighted: Map<string, number>): PolicyJudgement | undefined
}

export type Policies = {
  /** Loads the policies of these traces. Call it outside a transaction: it uses its own connection. */
  prepare(orgId: string, uses: readonly ToolUse[]): Promise<PreparedPolicies>
}

export type Meters = {
  record(tx: Db, use: { orgId: string; meter: 'checks'; amount: number }): Promise<void>
}

export type Plans = {
  /** The retention of an organisation's traces; null for unlimited. */
  traceRetentionDays(orgId: string): Promise<number | null>
}
