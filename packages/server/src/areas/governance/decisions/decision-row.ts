import type {
  Decision,
  DecisionReason,
  EnforcementMode,
  PolicyVerdict,
} from '@touchstone/protocol/policy'
import { type DecisionId, timeOfUuid, toDecisionId } from '../../../kernel/ids.ts'
import type {
  DecisionKind,
  DecisionRecord,
  DecisionSource,
  OutcomeStatus,
  StoredDecision,
} from './decision-record.ts'

const PREFIX = 'dec-'

export function toId(uuid: string): DecisionId {
  return toDecisionId(`${PREFIX}${uuid}`)
}

export function toUuid(decisionId: DecisionId): string {
  return decisionId.slice(PREFIX.length)
}

/** A decision joined with its kind. */
export type DecisionRow = {
  org_id: string
  decision_id: string
  batch_index: number
  duration_us: number
  session_id: string | null
  call_id: string | null
  client: string | null
  arguments_hash: Buffer | null
  transaction_id: string | null
  escalation_id: string | null
  outcome_at: Date | null
  outcome_duration_ms: number | null
  outcome_error: string | null
  outcome_result_hash: Buffer | null
  agent_id: string
  tool: string
  decision: string
  reasons: unknown
  verdict: string | null
  enforcement_mode: string | null
  agent_enforcement_mode: string
  policy_id: string | null
  policy_version: number | null
  asked_by: string
  source: string
  enforced: boolean
  outcome: string | null
  bypassed: boolean
}

/** Joined with its batch, too. */
export type SignedRow = DecisionRow & {
  signed_at: Date
  key_id: string
  signature: Buffer
  leaves: Buffer
}

const HASH_BYTES = 32

/** 32 bytes each. */
export function toLeaves(leaves: Buffer): Buffer[] {
  return Array.from({ length: leaves.length / HASH_BYTES }, (_, at) =>
    leaves.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  )
}

export function toStored(row: SignedRow): StoredDecision {
  return {
    ...toDecision(row),
    outcome: toOutcome(row),
    batch: {
      index: row.batch_index,
      signedAt: row.signed_at,
      keyId: row.key_id,
      signature: row.signature.toString('base64'),
      leaves: toLeaves(row.leaves),
    },
  }
}

export function toDecision(row: DecisionRow): DecisionRecord {
  return {
    ...toKind(row),
    decisionId: toId(row.decision_id),
    orgId: row.org_id,
    sessionId: row.session_id,
    callId: row.call_id,
    client: row.client,
    argumentsHash: row.arguments_hash?.toString('hex') ?? null,
    transactionId: row.transaction_id,
    escalationId: row.escalation_id,
    decidedAt: new Date(timeOfUuid(row.decision_id)),
    durationMs: row.duration_us / 1000,
  }
}

/** The casts name the values that the table's constraints allow. */
function toKind(row: DecisionRow): DecisionKind {
  return {
    agentId: row.agent_id,
    tool: row.tool,
    decision: row.decision as Decision,
    reasons: row.reasons as DecisionReason[],
    verdict: row.verdict as PolicyVerdict | null,
    enforcementMode: row.enforcement_mode as EnforcementMode | null,
    agentEnforcementMode: row.agent_enforcement_mode as DecisionKind['agentEnforcementMode'],
    policyId: row.policy_id,
    policyVersion: row.policy_version,
    askedBy: row.asked_by,
    source: row.source as DecisionSource,
    enforced: row.enforced,
  }
}

/** The cast names the values that the table's constraint allows. */
export function toOutcome(row: DecisionRow): StoredDecision['outcome'] {
  if (row.outcome_at === null) return null
  return {
    status: row.outcome as OutcomeStatus,
    reportedAt: row.outcome_at,
    durationMs: row.outcome_duration_ms,
    error: row.outcome_error,
    resultHash: row.outcome_result_hash?.toString('hex') ?? null,
    bypassed: row.bypassed,
  }
}
