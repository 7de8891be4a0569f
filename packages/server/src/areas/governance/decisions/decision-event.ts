import { sha256Hex } from '@touchstone/protocol/crypto'
import { decisionPayload } from '@touchstone/protocol/policy'
import type { DecisionRecord, Outcome } from './decision-record.ts'
import { statementOf } from './receipt.ts'

/** spec: platform §5.3. */
const TEXT_LENGTH_MAX = 2000

/** The data of every event about a decision. */
function dataOf(record: DecisionRecord) {
  return {
    decision_id: record.decisionId,
    agent_id: record.agentId,
    session_id: record.sessionId,
    tool: record.tool,
    decision: record.decision,
    reasons: record.reasons.map((reason) => ({
      ...reason,
      message: [...reason.message].slice(0, TEXT_LENGTH_MAX).join(''),
    })),
    policy_id: record.policyId,
    policy_version: record.policyVersion,
    escalation_id: record.escalationId,
  }
}

/** `count` calls were blocked since the event before; this is the newest of them. */
export function blockedEvent(record: DecisionRecord, count: number) {
  return { type: 'decision.blocked', data: { ...dataOf(record), count } } as const
}

export function escalatedEvent(record: DecisionRecord) {
  return { type: 'decision.escalated', data: dataOf(record) } as const
}

/** The call was made although the decision did not let it through. */
export type Bypass = { decision: DecisionRecord; outcome: Outcome }

export function bypassedEvent({ decision, outcome }: Bypass, checkpointId: string | null) {
  const status = outcome.status === 'failed' ? 'failed' : 'executed'
  const data = { ...dataOf(decision), outcome: status, checkpoint_id: checkpointId } as const
  return { type: 'decision.bypassed', data } as const
}

/** A boundary violation of an agent that follows from a decision. */
export type Violation = {
  agentId: string
  sessionId: string | null
  at: Date
  /** SHA-256, in hex, of the document that the violation is about. */
  subjectHash: string
  description: string
  evidence: string
  decisionId: string
}

/** The violation commits to the decision: to the hash of the statement that its receipt signs. */
export function violationOf({ decision, outcome }: Bypass): Violation {
  const { agentId, sessionId, tool, decisionId, reasons } = decision
  return {
    agentId,
    sessionId,
    at: outcome.reportedAt,
    subjectHash: sha256Hex(decisionPayload(statementOf(decision))),
    description: `${tool} was called although decision ${decisionId} was ${decision.decision}.`,
    evidence: reasons[0]?.message ?? '',
    decisionId,
  }
}
