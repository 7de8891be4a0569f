import {
  DECISION_RECEIPT_CONTEXT,
  type Decision,
  type DecisionReason,
  SEVERITIES,
} from '@touchstone/protocol/policy'
import { Type } from 'typebox'
import { NamedEnum, NamedObject } from './http/openapi/named.ts'
import { Nullable } from './http/wire.ts'

/** The JSON form of a decision's parts in the responses of the gateway and of the decision log. */

const DECISIONS = ['allow', 'warn', 'escalate', 'block'] as const

export const DecisionOutcome = NamedEnum('DecisionOutcome', [...DECISIONS], {
  description: 'allow and warn: the tool may be called',
})

export const DecisionReasons = Type.Array(
  NamedObject('DecisionReason', {
    code: Type.String(),
    source: Type.Enum(['containment', 'integrity', 'transaction', 'policy', 'system']),
    tool: Type.String(),
    message: Type.String(),
    severity: Nullable(NamedEnum('Severity', [...SEVERITIES])),
  }),
)

export const DecisionReceipt = NamedObject(
  'DecisionReceipt',
  {
    statement: Type.Object({
      '@context': Type.Literal(DECISION_RECEIPT_CONTEXT),
      decision_id: Type.String(),
      decision: DecisionOutcome,
      agent_id: Type.String(),
      tool: Type.String(),
      arguments_hash: Nullable(
        Type.String({ description: 'SHA-256 of the canonical JSON of the arguments' }),
      ),
      policy_id: Nullable(Type.String()),
      policy_version: Nullable(Type.Integer()),
      transaction_id: Nullable(Type.String()),
      escalation_id: Nullable(Type.String()),
      decided_at: Type.String(),
    }),
    batch: Type.Optional(
      NamedObject(
        'DecisionBatch',
        {
          at: Type.String(),
          root: Type.String({ description: 'hex; the RFC 6962 root over the statements' }),
          size: Type.Integer({ description: 'the number of decisions that were signed together' }),
          index: Type.Integer(),
          path: Type.Array(
            Type.Object({ hash: Type.String(), position: Type.Enum(['left', 'right']) }),
            { description: 'from the statement to the root' },
          ),
        },
        {
          description: 'The place of the decision in its batch; absent from receipts of version 1',
        },
      ),
    ),
    signature: Type.Object({
      algorithm: Type.Literal('Ed25519'),
      key_id: Type.String({ description: 'one of GET /v1/keys' }),
      value: Type.String({
        description:
          'base64, over the canonical JSON of {at, root, size, type: "touchstone.decisions", v: 2} or, in version 1, of the statement',
      }),
    }),
  },
  { description: 'Proof of the decision, which can be verified with only the published keys' },
)

export type LiveDecision = {
  type: 'gateway.decision'
  at: Date
  data: Readonly<Record<string, unknown>>
}

/** A message of the live stream has at most 7,000 bytes. */
const LIVE_MESSAGE_LENGTH_MAX = 500

/** A decision as a message of the live stream, with its first reason only. */
export function toLiveDecision(decided: {
  decisionId: string
  agentId: string
  sessionId: string | null
  tool: string
  decision: Decision
  source: string
  enforced: boolean
  reasons: readonly DecisionReason[]
  escalationId: string | null
  decidedAt: Date
}): LiveDecision {
  const reasons = decided.reasons.slice(0, 1).map(({ code, message }) => ({
    code,
    message: [...message].slice(0, LIVE_MESSAGE_LENGTH_MAX).join(''),
  }))
  return {
    type: 'gateway.decision',
    at: decided.decidedAt,
    data: {
      decision_id: decided.decisionId,
      agent_id: decided.agentId,
      session_id: decided.sessionId,
      tool: decided.tool,
      decision: decided.decision,
      source: decided.source,
      enforced: decided.enforced,
      reasons,
      escalation_id: decided.escalationId,
    },
  }
}
