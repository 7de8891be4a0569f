import type { CallDecision, DecisionReceipt } from '@touchstone/protocol/policy'
import type { DecisionId } from '../../../kernel/ids.ts'
import type { AgentSnapshot, Contained } from './agent-snapshot.ts'
import type { GatewayCall } from './call.ts'
import type { Decision, PolicyFacts, ReadyCall } from './decision.ts'
import type { Caller, Nudge, Org, Question, Subject } from './ports.ts'
import type { SessionCheck } from './session-rules-service.ts'

export type CallRequest = {
  decisionId: DecisionId
  org: Org
  call: GatewayCall
  caller: Caller
  argumentsHash: string | null
  snapshot: AgentSnapshot
  now: Date
  startedMs: number
}

/** The call with the transaction, escalation and session it refers to. */
export type LoadedCall = { ready: ReadyCall; transactionId: string | null }

/** A decision that has had no effect yet. */
export type Unsettled = {
  request: CallRequest
  loaded: LoadedCall
  decision: Decision
  session: SessionCheck
  /** The approval was used already, so it is not used again. */
  isApprovalUsed: boolean
}

/** The call that an approval must be for. */
export function subjectOf({ call, argumentsHash }: CallRequest): Subject {
  return {
    agentId: call.agentId,
    tool: call.tool,
    sessionId: call.sessionId ?? null,
    argumentsHash,
  }
}

export function questionOf(request: CallRequest): Question {
  const { askedBy, isBound } = request.caller
  return { ...subjectOf(request), askedBy, isBound }
}

/** A decision with the facts it is based on. */
export type DecisionResult = {
  decision: CallDecision
  facts: PolicyFacts
  transactionId: string | null
  escalationId: string | null
  nudges: readonly Nudge[]
}

export type SignedDecision = {
  decisionId: string
  result: DecisionResult
  agentMode: AgentSnapshot['mode']
  decidedAt: Date
  durationMs: number
  receipt: DecisionReceipt
  /** The receipt's statement exactly as it was signed. */
  statementText: string
  /** Set if the agent is paused or killed, which blocks every call. */
  contained: Contained | undefined
  /** False if the database is down and the decision will be stored when it is up. */
  isRecorded: boolean
  /** True for the answer to a request that is repeated. */
  isReplayed: boolean
}
