import type { Db } from '../../../kernel/db.ts'
import type { TracePolicy } from './trace.ts'
import type { TraceCard } from './verify-trace.ts'

export type Agents = {
  orgOf(agentId: string): Promise<string | undefined>
  /**
   * Notes that something came from the agent, which stays as it is until the transaction ends.
   * Throws `agent_not_found`, also for another organisation's, or `conflict` once archived.
   */
  hear(tx: Db, agent: { agentId: string; orgId: string }): Promise<void>
}

type Card = TraceCard & { card_id?: string; audit_commitment: { retention_days: number } }

export type Cards = {
  /**
   * The card named, else the one active at that time. `named` is false when the name is no card of
   * the agent; the active card stands in for it then. Composed with what the organisation adds.
   */
  findForTrace(
    db: Db,
    wanted: { orgId: string; agentId: string; cardId: string | undefined; at: Date },
  ): Promise<{ cardId: string; card: Card; named: boolean }>
  /** A card that is stored nowhere; throws a Problem naming its faults. */
  accept(agent: { orgId: string; agentId: string }, card: unknown): Promise<Card>
}

export type Checkpoints = {
  /** What was found about this decision; undefined when it is no checkpoint of the agent. */
  findVerdict(
    db: Db,
    checkpoint: { agentId: string; checkpointId: string },
  ): Promise<string | undefined>
  /** Lets the checkpoint name its trace. */
  linkTrace(tx: Db, link: { agentId: string; checkpointId: string; traceId: string }): Promise<void>
}

export type Drift = {
  /**
   * Whether the agent still behaves as it began; asked once its trace is stored. Tells what was
   * looked at and how many alerts that opened. Declared values are shortened as applied ones are.
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
  /** Keeps it in the transaction that stores the trace. */
  record(tx: Db, traceId: string): Promise<void>
  /** To be told once that transaction is through. */
  settle(): void
}

/** Policies of some traces, all that is needed of them in memory. */
export type PreparedPolicies = {
  /**
   * At the time the trace tells; undefined where no policy holds. `sighted` are the agent's tools
   * that were first seen in the same transaction; what is recorded adds to them.
   */
  judge(trace: ToolUse & { at: Date }, sighted: Map<string, number>): PolicyJudgement | undefined
}

export type Policies = {
  /** Reads what these traces are held to. Not within a transaction, whose connection it lacks. */
  prepare(orgId: string, uses: readonly ToolUse[]): Promise<PreparedPolicies>
}

export type Meters = {
  record(tx: Db, use: { orgId: string; meter: 'checks'; amount: number }): Promise<void>
}

export type Plans = {
  /** How long an organisation's traces are kept; null for ever. */
  traceRetentionDays(orgId: string): Promise<number | null>
}
