import type { Evaluation } from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'
import type {
  Contained,
  NamedTransaction,
  Prepared,
  Ready,
  Rules,
  Standing,
} from './agent-snapshot.ts'

/** Called with the agent whose part of a snapshot changed; with undefined where it may be any. */
type ChangeListener = (agentId: string | undefined) => void

export type Agents = {
  findKnown(agentId: string): Promise<
    | {
        orgId: string
        status: 'active' | 'paused' | 'killed' | 'archived'
        enforcementMode: 'observe' | 'nudge' | 'enforce'
      }
    | undefined
  >
  onKnownChange(listener: ChangeListener): void
  /**
   * Notes that something came from the agent, which stays as it is until the transaction ends.
   * Throws `agent_not_found`, also for another organisation's, or `conflict` once archived.
   */
  hear(tx: Db, agent: { agentId: string; orgId: string }): Promise<void>
}

export type Transactions = {
  /** Nothing for one that is unknown or of another agent. */
  forCall(
    orgId: string,
    agentId: string,
    transactionId: string,
  ): Promise<NamedTransaction | undefined>
}

export type Policies = {
  onStandingChange(listener: ChangeListener): void
  /** About as much memory as it takes. */
  bytesOf(standing: Standing): number
}

export type Evaluations = {
  rulesOf(orgId: string, agentId: string): Promise<Rules>
  /** Synchronous if cached, but for the promise. Never rejects. */
  prepare(
    rules: Rules,
    call: {
      agentId: string
      tools: readonly string[]
      context: 'gateway'
      transaction?: NamedTransaction | undefined
      /** Triggers ask for them by `args.…`; nobody stores them. */
      args?: Readonly<Record<string, unknown>> | undefined
    },
  ): Promise<Prepared>
  /** Counts an evaluation and records it with the next batch. */
  record(call: {
    ready: Ready
    evaluation: Evaluation
    orgId: string
    agentId: string
    now: Date
    /** For whoever is told of a violation. */
    sessionId?: string | undefined
  }): {
    /** Resolves once it is committed. The operator hears when that fails. */
    recorded(): Promise<void>
  }
  /** Tells the operator why a policy could not be evaluated. */
  reportFailure(cause: unknown): void
}

export type Containment = {
  stateOf(agentId: string): Promise<Contained | { status: 'active' }>
  onStateChange(listener: ChangeListener): void
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
  /** Whether any nudge waits for the agent, in whatever session. */
  hasNudges(agentId: string, now: Date): Promise<boolean>
  onNudgeChange(listener: ChangeListener): void
  /** The nudges for the agent; those given here count as delivered. */
  takeNudges(call: CallOfSession): Promise<readonly Nudge[]>
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
