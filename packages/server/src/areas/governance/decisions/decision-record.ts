import type {
  Decision,
  DecisionReason,
  DecisionReceipt,
  EnforcementMode,
  PolicyVerdict,
} from '@touchstone/protocol/policy'
import type { DecisionId } from '../../../kernel/ids.ts'

const DECISION_ID = /^dec-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isDecisionId(text: string): text is DecisionId {
  return DECISION_ID.test(text)
}

/** The kind of client that asked, as its credential says. */
export const DECISION_SOURCES = ['api', 'sdk', 'mcp_guard', 'hook', 'model_gateway'] as const
export type DecisionSource = (typeof DECISION_SOURCES)[number]

/** The result of the call, as the client reported it. */
export const OUTCOMES = ['executed', 'failed', 'not_executed'] as const
export type OutcomeStatus = (typeof OUTCOMES)[number]

/** The columns that many decisions share; stored once per organisation (see store.ts). */
export type DecisionKind = {
  agentId: string
  tool: string
  decision: Decision
  reasons: readonly DecisionReason[]
  verdict: PolicyVerdict | null
  /** The mode of the policy; null if it could not be evaluated. */
  enforcementMode: EnforcementMode | null
  agentEnforcementMode: 'observe' | 'nudge' | 'enforce'
  policyId: string | null
  policyVersion: number | null
  /** The key or connection that asked. */
  askedBy: string
  source: DecisionSource
  /** False if the holder of the credential records decisions and does not stop calls. */
  enforced: boolean
}

/** The gateway's answer to one call (spec: decisions §1). */
export type DecisionRecord = DecisionKind & {
  decisionId: DecisionId
  orgId: string
  sessionId: string | null
  /** The caller's own id of the tool call. */
  callId: string | null
  /** Free text that names the client program. */
  client: string | null
  argumentsHash: string | null
  transactionId: string | null
  escalationId: string | null
  decidedAt: Date
  /** The time it took to decide, without signing and storing. */
  durationMs: number
}

export type Outcome = {
  status: OutcomeStatus
  reportedAt: Date
  durationMs: number | null
  error: string | null
  resultHash: string | null
  /** The call was made although the decision did not allow it. */
  bypassed: boolean
}

/** One signature over the decisions of one organisation and moment. */
export type SignedBatch = {
  orgId: string
  signedAt: Date
  keyId: string
  /** Base64. */
  signature: string
  leaves: readonly Uint8Array[]
  decisions: readonly DecisionRecord[]
}

/** A decision with its receipt and the place of its batch in the witnessed log, once it has one. */
export type LoggedDecision = StoredDecision & { receipt: DecisionReceipt; logIndex: number | null }

export type StoredDecision = DecisionRecord & {
  outcome: Outcome | null
  batch: Pick<SignedBatch, 'signedAt' | 'keyId' | 'signature' | 'leaves'> & { index: number }
}
