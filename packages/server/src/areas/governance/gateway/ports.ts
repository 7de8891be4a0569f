import type {
  CallDecision,
  CounterState,
  DecisionReceipt,
  EnforcementMode,
  Evaluation,
  PolicyVerdict,
  Reservation,
} from '@touchstone/protocol/policy'
import type { Db } from '../../../kernel/db.ts'
import type { DecisionId } from '../../../kernel/ids.ts'
import type {
  AgentSnapshot,
  CallTransaction,
  Contained,
  EffectiveRules,
  Prepared,
  Ready,
  Rules,
} from './agent-snapshot.ts'
import type { ApprovalFinding, CallApproval, PolicyFindings } from './call-approval.ts'

/** Called with the agent whose facts changed, or with undefined if any agent may be affected. */
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
}

/** The organisation that owns the agent. */
export type Org = { orgId: string; accountId: string }

/** The call that an approval must be for. */
export type Subject = {
  agentId: string
  tool: string
  sessionId: string | null
  argumentsHash: string | null
}

/** A call and the credential that asks for it. */
export type Question = Subject & {
  askedBy: string
  /** The credential reaches no other agent. */
  isBound: boolean
}

/** Approvals of calls by people. */
export type Approvals = {
  /** The escalation that a call names. Throws `not_found` for one that the caller does not reach. */
  getNamed(orgId: string, escalationId: string, question: Question): Promise<CallApproval>
  /** The effect of an escalation on a call that may have used it already, as though unused. */
  findUsed(escalationId: string, question: Question): Promise<CallApproval | undefined>
  /** The approvals that cover this call, which does not have to name one. The best is first. */
  listUsable(question: Question): Promise<CallApproval[]>
  /** Returns true to exactly as many of several concurrent callers as the approval has uses left. */
  use(escalationId: string): Promise<boolean>
  /** Undoes a use whose call was stopped after all. */
  giveBack(escalationId: string): Promise<void>
  /** Notes that one more key asked for the call of a pending escalation. */
  addAsker(escalationId: string, asker: string): Promise<void>
  /** The escalation that the ledger opens in the transaction that stores the decision. */
  opening(org: Org, request: ApprovalRequest, policy: PolicyFindings | null): Opening
}

/** An escalation that is about to be opened. */
export type Opening = {
  /** Equal for calls that share one. */
  subject: string
  /** Returns the id of the pending escalation for the same call, else of a new one. */
  open(tx: Db): Promise<string>
}

/** A call that needs an approval. */
export type ApprovalRequest = Subject & {
  arguments: Readonly<Record<string, unknown>> | undefined
  justification: string | null
  transactionId: string | null
  decisionId: DecisionId
  requestedBy: string
  reason: string
  /** The findings that the approval is needed for. */
  findings: readonly ApprovalFinding[]
}

export type Transactions = {
  /** Returns undefined for an unknown transaction or another agent's. */
  forCall(
    orgId: string,
    agentId: string,
    transactionId: string,
  ): Promise<CallTransaction | undefined>
}

export type Policies = {
  onRulesChange(listener: ChangeListener): void
  /** Estimated memory use. */
  bytesOf(effective: EffectiveRules): number
}

export type Evaluations = {
  rulesOf(orgId: string, agentId: string): Promise<Rules>
  /** Needs no I/O if everything is cached. Never rejects. */
  prepare(
    rules: Rules,
    call: {
      agentId: string
      tools: readonly string[]
      context: 'gateway'
      transaction?: CallTransaction | undefined
      /** Available to triggers as `args.…`; never stored. */
      args?: Readonly<Record<string, unknown>> | undefined
    },
  ): Promise<Prepared>
  /**
   * Counts an evaluation of a decision, and queues the events and first sightings that follow. Returns
   * a function that awaits their commit; a failure is also logged.
   */
  note(call: {
    ready: Ready
    evaluation: Evaluation
    orgId: string
    agentId: string
    now: Date
    /** Included in the violation event. */
    sessionId?: string | undefined
  }): () => Promise<void>
  /** Logs and counts a policy that could not be evaluated. */
  reportFailure(cause: unknown): void
}

export type Containment = {
  stateOf(agentId: string): Promise<Contained | { status: 'active' }>
  onStateChange(listener: ChangeListener): void
}

/** A message to the agent about one of its checkpoints. */
export type Nudge = {
  nudgeId: string
  agentId: string
  sessionId: string
  checkpointId: string
  message: string
  createdAt: Date
}

export type ToolPins = {
  /** The tools of an agent whose definitions changed, by their names in policies. */
  changedTools(agentId: string): Promise<ReadonlySet<string>>
  onChangedTools(listener: ChangeListener): void
}

type CallOfSession = { agentId: string; sessionId: string | undefined; now: Date }

export type Holds = {
  /** Whether the newest checkpoint of the session, else of the agent, is a violation. */
  isHeld(call: CallOfSession): Promise<boolean>
  /** Whether any nudge is waiting for the agent, in any session. */
  hasNudges(agentId: string, now: Date): Promise<boolean>
  onNudgeChange(listener: ChangeListener): void
  /** Returns the waiting nudges and marks them as delivered. */
  takeNudges(call: CallOfSession): Promise<readonly Nudge[]>
}

/** The live activity of an organisation. Never blocks or fails; free without subscribers. */
export type LiveStream = {
  publish(
    orgId: string,
    message: () => { type: string; at: Date; data: Readonly<Record<string, unknown>> },
  ): void
}

/** Stores decisions before they are answered, and signs their receipts. */
export type Ledger = {
  /** The id of a decision that is about to be recorded. */
  newId(decidedAt: Date): DecisionId
  /**
   * Resolves once the decision is committed, with the escalation that it opened. Rejects with
   * `agent_not_found` after an erasure.
   */
  record(decision: NewDecision, opening?: Opening): Promise<RecordedDecision>
  /** The same for a call that takes counts. Nothing is stored and counted if one of them is not left. */
  recordCounted(
    decision: NewDecision,
    reservations: readonly Reservation[],
  ): Promise<RecordedDecision | { exceeded: readonly Reservation[] }>
  /** Stores the decisions of `size` calls together, once each has recorded one or left. */
  group(size: number): { member(number: number): Recorder & { leave(): void } }
  /** Signs a decision that is answered although the database is down, and stores it when it is up. */
  recordLater(decision: NewDecision): Promise<RecordedDecision>
}

/** Stores a decision, alone or with the others of its request. */
export type Recorder = Pick<Ledger, 'record' | 'recordCounted'>

/** The counters of the rules over a session. */
export type SessionCounters = {
  /** The states by key; a counter that was never taken is left out. */
  find(
    agent: { orgId: string; agentId: string },
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, CounterState>>
}

/** Decisions of the last moments, for requests that are repeated. */
export type KeptDecisions = {
  /** The newest first. */
  listOfCall(call: {
    orgId: string
    agentId: string
    callId: string
    since: Date
  }): Promise<readonly KeptDecision[]>
  find(orgId: string, decisionId: string): Promise<KeptDecision | undefined>
}

export type KeptDecision = NewDecision &
  RecordedDecision & {
    /** As the client reported it. */
    outcome: { status: 'executed' | 'failed' | 'not_executed' } | null
  }

export type RecordedDecision = {
  decisionId: DecisionId
  /** Set if it is answered without its record, because the database is down. */
  isWaiting?: true
  /** The escalation that it opened, that the call named or whose approval it used. */
  escalationId: string | null
  receipt: DecisionReceipt
  /** The receipt's statement exactly as it was signed. */
  statementText: string
}

export type NewDecision = Omit<Caller, 'isBound'> & {
  decisionId: DecisionId
  orgId: string
  agentId: string
  sessionId: string | null
  callId: string | null
  tool: string
  argumentsHash: string | null
  decision: CallDecision['decision']
  reasons: CallDecision['reasons']
  verdict: PolicyVerdict | null
  enforcementMode: EnforcementMode | null
  agentEnforcementMode: AgentSnapshot['mode']
  policyId: string | null
  policyVersion: number | null
  transactionId: string | null
  escalationId: string | null
  decidedAt: Date
  durationMs: number
}

/** The facts about the asking client that its credential and headers give. */
export type Caller = {
  /** The key, connection or user. */
  askedBy: string
  source: 'api' | 'sdk' | 'mcp_guard' | 'hook' | 'model_gateway'
  /** False if the client records decisions and does not stop calls. */
  enforced: boolean
  client: string | null
  /** A key that is bound to an agent. */
  isBound: boolean
}
