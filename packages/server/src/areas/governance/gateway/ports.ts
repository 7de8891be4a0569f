import type { PolicyRules, TransactionStatus } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'
import type { Prompt } from '../../../kernel/promptly.ts'
import type { LiveOutcome } from './decision.ts'

export type Agents = {
  /** From memory. */
  findKnown(agentId: string): Prompt<
    | {
        orgId: string
        status: 'active' | 'paused' | 'killed' | 'archived'
        enforcementMode: 'observe' | 'nudge' | 'enforce'
      }
    | undefined
  >
  /**
   * Notes that something came from the agent, which stays as it is until the transaction ends.
   * Throws `agent_not_found`, also for another organisation's, or `conflict` once archived.
   */
  hear(tx: Db, agent: { agentId: string; orgId: string }): Promise<void>
}

/** A transaction as a call that names it sees it. */
export type NamedTransaction = {
  transactionId: string
  status: TransactionStatus
  /** Conditions may ask for it. */
  actionType?: string | undefined
  tools: readonly string[]
  /** What narrows it beyond organisation and agent. */
  layers: readonly PolicyRules[]
}

export type Transactions = {
  /** Nothing for one that is unknown or of another agent. */
  forCall(
    orgId: string,
    agentId: string,
    transactionId: string,
  ): Promise<NamedTransaction | undefined>
}

export type Evaluations = {
  live(ask: {
    orgId: string
    agentId: string
    tools: readonly string[]
    context: 'gateway' | 'runtime'
    now: Date
    transaction?: NamedTransaction | undefined
    /** What triggers ask for by `args.…`; kept by nobody. */
    args?: Readonly<Record<string, unknown>> | undefined
    /** For whoever is told of a violation. */
    sessionId?: string | undefined
  }): Prompt<LiveOutcome>
}

export type Contained = { status: 'paused' | 'killed'; containedAt: Date }

export type Containment = {
  stateOf(agentId: string): Prompt<Contained | { status: 'active' }>
}

/** A word to the agent about one of its checkpoints. */
export type Nudge = {
  nudgeId: string
  agentId: string
  sessionId: string
  checkpointId: string
  message: string
  createdAt: Date
}

type CallOfSession = { agentId: string; sessionId: string | undefined; now: Date }

export type Holds = {
  /** Whether the newest checkpoint of the session, else of the agent, is a violation. */
  isHeld(call: CallOfSession): Promise<boolean>
  /** What is to be told to the agent; what is given here counts as told. From memory if nothing. */
  takeNudges(call: CallOfSession): Prompt<readonly Nudge[]>
}

/** Whoever looks on live. Never waits, never fails; costs nothing while nobody does. */
export type Audience = {
  tell(
    orgId: string,
    say: () => { type: string; at: Date; data: Readonly<Record<string, string | null>> },
  ): void
}

/** The key that signs certificates, ready to sign while other work goes on. */
export type Signer = {
  keyId: string
  signAside(payload: string): Promise<Buffer>
}
