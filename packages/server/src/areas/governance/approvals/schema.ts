import { APPROVAL_SCOPES } from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
import { ROLES } from '../../../access.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable, PageFields, PageQuery, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { Answer } from './answer.ts'
import { ESCALATION_STATUSES, type Escalation, isAnswerableInClient } from './escalation.ts'
import type { ShownEscalation } from './service.ts'

export const EscalationParams = Type.Object({ escalation_id: Type.String() })

export const EscalationQuery = Type.Object({
  status: Type.Optional(NamedEnum('EscalationStatus', [...ESCALATION_STATUSES])),
  agent_id: Type.Optional(Type.String()),
  tool: Type.Optional(Type.String({ maxLength: 256, description: 'exact' })),
  ...PageQuery.properties,
})

export const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60,
      description:
        'seconds to wait for a change of a pending escalation; at most 100 requests wait in a process, more are answered at once',
    }),
  ),
})

const Scope = (description: string) =>
  NamedEnum('ApprovalScope', [...APPROVAL_SCOPES], { description })

export const ResolveBody = NamedObject('EscalationResolution', {
  outcome: Type.Enum(['approve', 'reject']),
  note: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  scope: Type.Optional(
    Scope(
      'call (default): this call, once; session: every call of the tool in the session, at most 100, if the policy allows it',
    ),
  ),
  ttl_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60,
      description: 'how long the approval can be used; default 15',
    }),
  ),
})

export function toAnswer(body: Static<typeof ResolveBody>): Answer {
  const { outcome, note = null, scope, ttl_minutes: ttlMinutes } = body
  return { outcome, note, scope, ttlMinutes }
}

const FIELDS = {
  escalation_id: Type.String(),
  agent_id: Type.String(),
  tool: Type.String(),
  session_id: Nullable(Type.String()),
  arguments_hash: Nullable(Type.String({ description: 'null for a call without arguments' })),
  arguments_stored: Type.Boolean({
    description:
      'false if the call has no arguments, with ESCALATION_ARGUMENTS=off, and from 24 hours after the end',
  }),
  arguments_truncated: Type.Boolean({ description: 'true if only the first 32 KB are stored' }),
  justification: Nullable(
    Type.String({ description: "the agent's own words: untrusted text, which may be false" }),
  ),
  transaction_id: Nullable(Type.String()),
  decision_id: Nullable(Type.String({ description: 'the decision that opened the escalation' })),
  requested_by: Nullable(Type.String({ description: 'the key or user that asked' })),
  reason: Type.String(),
  rule: Nullable(
    Type.Object(
      { condition: Type.String(), reason: Type.String() },
      { description: 'the first trigger of the policy that escalated' },
    ),
  ),
  approvals_required: Type.Integer(),
  approval_roles: Type.Array(NamedEnum('Role', [...ROLES]), {
    description: 'the roles that can resolve it',
  }),
  local: Type.Boolean({
    description: 'the policy lets the user of a coding agent answer in that client',
  }),
  approval_scopes: Type.Array(NamedEnum('ApprovalScope', [...APPROVAL_SCOPES]), {
    description: 'the scopes that the policy allows',
  }),
  approvals: Type.Array(
    NamedObject('Approval', {
      by: Type.String(),
      at: Type.String(),
      note: Nullable(Type.String()),
    }),
  ),
  status: NamedEnum('EscalationStatus', [...ESCALATION_STATUSES]),
  created_at: Type.String(),
  expires_at: Type.String({ description: 'when it can no longer be resolved' }),
  resolved_by: Nullable(Type.String()),
  resolved_at: Nullable(Type.String()),
  note: Nullable(Type.String()),
  scope: Nullable(Scope('what the approval covers; null unless approved')),
  valid_until: Nullable(Type.String({ description: 'when the approval can no longer be used' })),
  uses_left: Nullable(Type.Integer({ description: 'calls that can still use the approval' })),
  used_at: Nullable(Type.String({ description: 'when a call last used the approval' })),
  approve_url: Type.String({ description: 'the page where a person can resolve it' }),
}

export const EscalationAnswer = NamedObject('Escalation', FIELDS)

export const EscalationDetail = NamedObject('EscalationDetail', {
  ...FIELDS,
  arguments: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String(), Type.Null()], {
    description:
      'only for callers who can resolve it; the beginning of the JSON text if arguments_truncated, else an object; null if not stored or not for you',
  }),
})

export const EscalationPage = NamedObject('EscalationPage', {
  escalations: Type.Array(EscalationAnswer),
  ...PageFields,
})

type ApproveUrl = (escalationId: string) => string

export function toEscalation(
  escalation: Escalation,
  approveUrl: ApproveUrl,
): Static<typeof EscalationAnswer> {
  return {
    escalation_id: escalation.escalationId,
    agent_id: escalation.agentId,
    tool: escalation.tool,
    session_id: escalation.sessionId,
    arguments_hash: escalation.argumentsHash,
    arguments_stored: escalation.hasArguments,
    arguments_truncated: escalation.isTruncated,
    justification: escalation.justification,
    transaction_id: escalation.transactionId,
    decision_id: escalation.decisionId,
    requested_by: escalation.requestedBy,
    reason: escalation.reason,
    rule: escalation.triggers[0] ?? null,
    approvals_required: escalation.rule.required,
    approval_roles: [...escalation.rule.roles],
    local: isAnswerableInClient(escalation),
    approval_scopes: [...escalation.rule.scopes],
    approvals: escalation.approvals.map(({ by, at, note }) => ({ by, at: at.toISOString(), note })),
    status: escalation.status,
    created_at: escalation.createdAt.toISOString(),
    expires_at: escalation.expiresAt.toISOString(),
    resolved_by: escalation.resolvedBy,
    resolved_at: escalation.resolvedAt?.toISOString() ?? null,
    note: escalation.note,
    scope: escalation.scope,
    valid_until: escalation.validUntil?.toISOString() ?? null,
    uses_left: escalation.usesLeft,
    used_at: escalation.usedAt?.toISOString() ?? null,
    approve_url: approveUrl(escalation.escalationId),
  }
}

export function toDetail(
  shown: ShownEscalation,
  approveUrl: ApproveUrl,
): Static<typeof EscalationDetail> {
  return { ...toEscalation(shown.escalation, approveUrl), arguments: shown.arguments }
}

export function toEscalationPage(
  page: Page<Escalation>,
  approveUrl: ApproveUrl,
): Static<typeof EscalationPage> {
  return {
    escalations: page.items.map((one) => toEscalation(one, approveUrl)),
    ...toPageFields(page),
  }
}
