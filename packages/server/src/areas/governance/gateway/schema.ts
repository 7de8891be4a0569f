import { roundTo } from '@touchstone/protocol/base'
import {
  DECISION_RECEIPT_CONTEXT,
  ENFORCEMENT_MODES,
  SEVERITIES,
} from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { ContainmentRefusal, Nullable, PageFields, PageQuery } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Contained } from './agent-snapshot.ts'
import type { GatewayCall } from './call.ts'
import { ESCALATION_STATUSES, type Escalation } from './escalation.ts'
import type { Nudge } from './ports.ts'
import type { Decided } from './service.ts'

const DECISIONS = ['allow', 'warn', 'escalate', 'block'] as const

const Id = Type.String({ minLength: 1, maxLength: 128 })

export const DecideBody = NamedObject('ToolCall', {
  agent_id: Id,
  tool: Type.String({ description: '1 to 256 characters without white space' }),
  arguments: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'the arguments of the call, at most 32 KB; conditions can refer to them; they are not stored',
    }),
  ),
  session_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' })),
  transaction_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'the transaction of the call; X-Transaction-Id is accepted, too',
    }),
  ),
  escalation_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'from an earlier decision about the same agent and tool',
    }),
  ),
})

export function toCall(
  body: Static<typeof DecideBody>,
  transactionHeader: string | string[] | undefined,
): GatewayCall {
  const inHeader = typeof transactionHeader === 'string' ? transactionHeader : undefined
  if (inHeader !== undefined && inHeader !== (body.transaction_id ?? inHeader)) {
    const message = 'differs from X-Transaction-Id; name the transaction once'
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

const Receipt = NamedObject(
  'DecisionReceipt',
  {
    statement: Type.Object({
      '@context': Type.Literal(DECISION_RECEIPT_CONTEXT),
      decision_id: Type.String(),
      decision: NamedEnum('DecisionOutcome', [...DECISIONS]),
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
  { description: 'Proof of the decision, which can be verified with only the published keys' },
)

const Notice = NamedObject('Nudge', {
  nudge_id: Type.String(),
  agent_id: Type.String(),
  session_id: Type.String(),
  checkpoint_id: Type.String(),
  message: Type.String(),
  status: Type.Literal('delivered', { description: 'delivered with this decision, and only once' }),
  created_at: Type.String(),
  delivered_at: Type.String(),
})

export const DecisionAnswer = NamedObject('Decision', {
  decision_id: Type.String(),
  decision: NamedEnum('DecisionOutcome', [...DECISIONS], {
    description: 'allow and warn: the tool may be called',
  }),
  reasons: Type.Array(
    NamedObject('DecisionReason', {
      code: Type.String(),
      source: Type.Enum(['containment', 'integrity', 'transaction', 'policy', 'system']),
      tool: Type.String(),
      message: Type.String(),
      severity: Nullable(NamedEnum('Severity', [...SEVERITIES])),
    }),
  ),
  verdict: Nullable(NamedEnum('PolicyVerdict', ['pass', 'warn', 'fail'])),
  enforcement_mode: Nullable(
    NamedEnum('PolicyMode', [...ENFORCEMENT_MODES], {
      description: 'the mode of the policy; null if it could not be evaluated',
    }),
  ),
  agent_enforcement_mode: NamedEnum('EnforcementMode', ['observe', 'nudge', 'enforce']),
  policy_id: Nullable(Type.String()),
  policy_version: Nullable(Type.Integer()),
  transaction_id: Nullable(Type.String()),
  escalation_id: Nullable(Type.String()),
  notices: Type.Array(Notice),
  decided_at: Type.String(),
  duration_ms: Type.Number(),
  receipt: Receipt,
})

export const Refused = NamedObject(
  'ContainedDecision',
  {
    ...ContainmentRefusal,
    decision: Type.Optional(Type.Literal('block')),
    decision_id: Type.Optional(Type.String()),
    receipt: Type.Optional(Receipt),
  },
  {
    description:
      'Your role or the scope of your key does not allow this, or the agent is paused or killed',
  },
)

/** Writes the decision as JSON and reuses the statement, which was serialised to be signed. */
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

/** The containment error with the decision (spec: control §2.2). */
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
  status: Type.Optional(NamedEnum('EscalationStatus', [...ESCALATION_STATUSES])),
  agent_id: Type.Optional(Type.String()),
  ...PageQuery.properties,
})

export const ResolveBody = NamedObject('EscalationResolution', {
  outcome: Type.Enum(['approve', 'reject']),
  note: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
})

export const EscalationAnswer = NamedObject('Escalation', {
  escalation_id: Type.String(),
  agent_id: Type.String(),
  tool: Type.String(),
  session_id: Nullable(Type.String()),
  transaction_id: Nullable(Type.String()),
  reason: Type.String(),
  status: NamedEnum('EscalationStatus', [...ESCALATION_STATUSES]),
  created_at: Type.String(),
  expires_at: Type.String({ description: 'when it can no longer be resolved' }),
  resolved_by: Nullable(Type.String()),
  resolved_at: Nullable(
    Type.String({ description: 'an approval is valid for 15 minutes from then' }),
  ),
  note: Nullable(Type.String()),
  used_at: Nullable(Type.String({ description: 'when a call used the approval' })),
})

export const EscalationPage = NamedObject('EscalationPage', {
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
