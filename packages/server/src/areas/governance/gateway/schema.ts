import { roundTo } from '@touchstone/protocol/base'
import {
  DECISION_RECEIPT_CONTEXT,
  ENFORCEMENT_MODES,
  SEVERITIES,
} from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
import { ContainmentRefusal, Nullable, PageFields, PageQuery } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { GatewayCall } from './call.ts'
import { ESCALATION_STATUSES, type Escalation } from './escalation.ts'
import type { Contained, Nudge } from './ports.ts'
import type { Decided } from './service.ts'

const DECISIONS = ['allow', 'warn', 'escalate', 'block'] as const

const Id = Type.String({ minLength: 1, maxLength: 128 })

export const DecideBody = Type.Object({
  agent_id: Id,
  tool: Type.String({ description: '1 to 256 characters without white space' }),
  arguments: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'of the call, at most 32 KB; conditions may ask for them, nobody keeps them',
    }),
  ),
  session_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' })),
  transaction_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'the transaction the call belongs to; also taken from X-Transaction-Id',
    }),
  ),
  escalation_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'of an earlier decision about the same agent and tool',
    }),
  ),
})

export function toCall(
  body: Static<typeof DecideBody>,
  transactionHeader: string | string[] | undefined,
): GatewayCall {
  const inHeader = typeof transactionHeader === 'string' ? transactionHeader : undefined
  if (inHeader !== undefined && inHeader !== (body.transaction_id ?? inHeader)) {
    const message = 'is another than in X-Transaction-Id; name the transaction once'
    throw new Problem('invalid_request', `transaction_id ${message}`, {
      details: [{ path: '/transaction_id', code: 'duplicate', message }],
    })
  }
  return {
    agentId: body.agent_id,
    tool: body.tool,
    arguments: body.arguments,
    sessionId: body.session_id,
    transactionId: body.transaction_id ?? inHeader,
    escalationId: body.escalation_id,
  }
}

const Receipt = Type.Object(
  {
    statement: Type.Object({
      '@context': Type.Literal(DECISION_RECEIPT_CONTEXT),
      decision_id: Type.String(),
      decision: Type.Enum([...DECISIONS]),
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
    signature: Type.Object({
      algorithm: Type.Literal('Ed25519'),
      key_id: Type.String({ description: 'one of GET /v1/keys' }),
      value: Type.String({ description: 'base64, over the canonical JSON of the statement' }),
    }),
  },
  { description: 'proof of the decision, to be verified by the published keys alone' },
)

const Notice = Type.Object({
  nudge_id: Type.String(),
  agent_id: Type.String(),
  session_id: Type.String(),
  checkpoint_id: Type.String(),
  message: Type.String(),
  status: Type.Literal('delivered', { description: 'told here, and not a second time' }),
  created_at: Type.String(),
  delivered_at: Type.String(),
})

export const DecisionAnswer = Type.Object({
  decision_id: Type.String(),
  decision: Type.Enum([...DECISIONS], { description: 'allow and warn: call the tool' }),
  reasons: Type.Array(
    Type.Object({
      code: Type.String(),
      source: Type.Enum(['containment', 'integrity', 'transaction', 'policy', 'system']),
      tool: Type.String(),
      message: Type.String(),
      severity: Nullable(Type.Enum([...SEVERITIES])),
    }),
  ),
  verdict: Nullable(Type.Enum(['pass', 'warn', 'fail'])),
  enforcement_mode: Nullable(
    Type.Enum([...ENFORCEMENT_MODES], {
      description: 'of the policy; null where it could not be evaluated',
    }),
  ),
  agent_enforcement_mode: Type.Enum(['observe', 'nudge', 'enforce']),
  policy_id: Nullable(Type.String()),
  policy_version: Nullable(Type.Integer()),
  transaction_id: Nullable(Type.String()),
  escalation_id: Nullable(Type.String()),
  notices: Type.Array(Notice),
  decided_at: Type.String(),
  duration_ms: Type.Number(),
  receipt: Receipt,
})

export const Refused = Type.Object(
  {
    ...ContainmentRefusal,
    decision: Type.Optional(Type.Literal('block')),
    decision_id: Type.Optional(Type.String()),
    receipt: Type.Optional(Receipt),
  },
  { description: 'Role or scope does not allow it, or the agent is paused or killed' },
)

export function toDecision(decided: Decided): Static<typeof DecisionAnswer> {
  return { ...toUnsigned(decided), receipt: decided.receipt }
}

/** The same as JSON. Most of it is the statement, which was written down to be signed. */
export function writeDecision(decided: Decided): string {
  const rest = JSON.stringify(toUnsigned(decided)).slice(0, -1)
  const signature = JSON.stringify(decided.receipt.signature)
  return `${rest},"receipt":{"statement":${decided.statementText},"signature":${signature}}}`
}

function toUnsigned(decided: Decided): Omit<Static<typeof DecisionAnswer>, 'receipt'> {
  const { judged } = decided
  return {
    decision_id: decided.decisionId,
    decision: judged.decision.decision,
    reasons: [...judged.decision.reasons],
    verdict: judged.facts.verdict,
    enforcement_mode: judged.facts.mode,
    agent_enforcement_mode: decided.agentMode,
    policy_id: judged.facts.policyId,
    policy_version: judged.facts.policyVersion,
    transaction_id: judged.transactionId,
    escalation_id: judged.escalationId,
    notices: judged.nudges.map((nudge) => toNotice(nudge, decided.decidedAt)),
    decided_at: decided.receipt.statement.decided_at,
    duration_ms: roundTo(decided.durationMs, 3),
  }
}

function toNotice(nudge: Nudge, deliveredAt: Date): Static<typeof Notice> {
  return {
    nudge_id: nudge.nudgeId,
    agent_id: nudge.agentId,
    session_id: nudge.sessionId,
    checkpoint_id: nudge.checkpointId,
    message: nudge.message,
    status: 'delivered',
    created_at: nudge.createdAt.toISOString(),
    delivered_at: deliveredAt.toISOString(),
  }
}

/** 02 §5.2, with the decision. */
export function toRefused(
  { status, containedAt }: Contained,
  decided: Decided,
): Static<typeof Refused> {
  return {
    error: 'forbidden',
    message: `Agent is ${status}`,
    type: 'containment_error',
    reason: status === 'paused' ? 'agent_paused' : 'agent_killed',
    agent_id: decided.receipt.statement.agent_id,
    containment_status: status,
    contained_at: containedAt.toISOString(),
    decision: 'block',
    decision_id: decided.decisionId,
    receipt: decided.receipt,
  }
}

export const EscalationParams = Type.Object({ escalation_id: Type.String() })

export const EscalationQuery = Type.Object({
  status: Type.Optional(Type.Enum([...ESCALATION_STATUSES])),
  agent_id: Type.Optional(Type.String()),
  ...PageQuery.properties,
})

export const ResolveBody = Type.Object({
  outcome: Type.Enum(['approve', 'reject']),
  note: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
})

export const EscalationAnswer = Type.Object({
  escalation_id: Type.String(),
  agent_id: Type.String(),
  tool: Type.String(),
  session_id: Nullable(Type.String()),
  transaction_id: Nullable(Type.String()),
  reason: Type.String(),
  status: Type.Enum([...ESCALATION_STATUSES]),
  created_at: Type.String(),
  expires_at: Type.String({ description: 'until when it can be resolved' }),
  resolved_by: Nullable(Type.String()),
  resolved_at: Nullable(
    Type.String({ description: 'an approval is good for 15 minutes from then' }),
  ),
  note: Nullable(Type.String()),
  used_at: Nullable(Type.String({ description: 'when the approval let a call through' })),
})

export const EscalationPage = Type.Object({
  escalations: Type.Array(EscalationAnswer),
  ...PageFields,
})

export function toEscalation(escalation: Escalation): Static<typeof EscalationAnswer> {
  return {
    escalation_id: escalation.escalationId,
    agent_id: escalation.agentId,
    tool: escalation.tool,
    session_id: escalation.sessionId,
    transaction_id: escalation.transactionId,
    reason: escalation.reason,
    status: escalation.status,
    created_at: escalation.createdAt.toISOString(),
    expires_at: escalation.expiresAt.toISOString(),
    resolved_by: escalation.resolvedBy,
    resolved_at: escalation.resolvedAt?.toISOString() ?? null,
    note: escalation.note,
    used_at: escalation.usedAt?.toISOString() ?? null,
  }
}

export function toEscalationPage(page: Page<Escalation>): Static<typeof EscalationPage> {
  return {
    escalations: page.items.map(toEscalation),
    total: page.total,
    page: page.page,
    per_page: page.perPage,
  }
}
