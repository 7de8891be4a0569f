import { TOOL_NAME_FORM } from '@touchstone/protocol/policy'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { toProblem } from '../../../http/answers/error-map.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import {
  Instant,
  Nullable,
  PageFields,
  PageQuery,
  toInstant,
  toPageFields,
} from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import { Provenance } from '../../../provenance-wire.ts'
import { ORIGIN_FIELDS, refuseOwnFields } from '../../../record-origin.ts'
import type { BatchOutcome } from './ingest-service.ts'
import type { TraceVerdict } from './service.ts'
import type { StoredTrace, TraceFilter } from './store.ts'
import { ACTION_CATEGORIES, ACTION_TYPES, ESCALATION_STATUSES, toolsOf } from './trace.ts'
import type { TraceInput } from './trace-input.ts'
import type { ViolationType } from './verify-trace.ts'

/** spec: evidence §0. */
const AgentId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{2,127}$' })
const ChosenId = Type.String({ pattern: '^[A-Za-z0-9._:-]{3,128}$' })
const SessionId = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' })

const Text = (maxLength: number) => Type.String({ maxLength })
const Filled = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Open = Type.Record(Type.String(), Type.Unknown())

/** Fields without a limit of their own are bounded by the 64 KB limit of the whole trace. */
const WHOLE = 65_536

const Action = NamedObject('TraceAction', {
  type: NamedEnum('TraceActionType', [...ACTION_TYPES]),
  name: Filled(256),
  category: NamedEnum('TraceActionCategory', [...ACTION_CATEGORIES]),
  target: Type.Optional(
    Type.Object({ type: Type.Optional(Text(WHOLE)), identifier: Type.Optional(Text(WHOLE)) }),
  ),
  parameters: Type.Optional(Open),
})

const decision = {
  selected: Filled(256),
  selection_reasoning: Filled(10_000),
  values_applied: Type.Array(Text(WHOLE), { maxItems: 50 }),
  alternatives_considered: Type.Optional(
    Type.Array(
      Type.Object({
        option_id: Text(WHOLE),
        description: Text(WHOLE),
        score: Type.Optional(Share),
        scoring_factors: Type.Optional(Open),
        flags: Type.Optional(Type.Array(Text(WHOLE))),
      }),
      { maxItems: 50 },
    ),
  ),
}

const Escalation = NamedObject('TraceEscalation', {
  evaluated: Type.Boolean(),
  required: Type.Boolean(),
  reason: Text(WHOLE),
  triggers_checked: Type.Optional(
    Type.Array(
      Type.Object({
        trigger: Text(WHOLE),
        matched: Type.Boolean(),
        value_observed: Type.Optional(Type.Unknown()),
      }),
    ),
  ),
  escalation_id: Type.Optional(Text(WHOLE)),
  escalation_status: Type.Optional(NamedEnum('TraceEscalationStatus', [...ESCALATION_STATUSES])),
  principal_response: Type.Optional(
    Type.Object({
      decision: Type.Optional(Text(WHOLE)),
      timestamp: Type.Optional(Instant),
      conditions: Type.Optional(Type.Unknown()),
    }),
  ),
})

const context = {
  conversation_turn: Type.Optional(Type.Number()),
  prior_trace_ids: Type.Optional(Type.Array(Text(WHOLE))),
  environment: Type.Optional(Open),
  metadata: Type.Optional(Open),
}

/** Policies can match only such names; any other would bypass every rule (spec: governance §1.2). */
const ToolName = Type.String({
  pattern: TOOL_NAME_FORM,
  description: '1 to 256 characters without white space',
})

const parts = {
  trace_id: Type.Optional(ChosenId),
  card_id: Type.Optional(ChosenId),
  timestamp: Type.Optional(Instant),
  action: Action,
  decision: Type.Object({ ...decision, confidence: Type.Optional(Share) }),
  escalation: Type.Optional(Escalation),
  context: Type.Optional(
    Type.Object(
      { session_id: Type.Optional(SessionId), ...context },
      { description: 'further members are stored; conditions of the card can refer to them' },
    ),
  ),
  tools: Type.Optional(Type.Array(ToolName, { maxItems: 100 })),
  decision_id: Type.Optional(
    Type.String({
      maxLength: 128,
      description: "the gateway's decision about this action, of the same agent and session",
    }),
  ),
}

export const TraceBody = NamedObject(
  'NewTrace',
  { agent_id: AgentId, ...parts },
  { description: 'An AP-trace, at most 64 KB.' },
)
export const AgentTraceBody = NamedObject(
  'NewAgentTrace',
  { agent_id: Type.Optional(AgentId), ...parts },
  { description: 'An AP-trace, at most 64 KB; agent_id, if given, must match the path.' },
)
export const BatchBody = NamedObject('NewTraceBatch', {
  traces: Type.Array(Type.Unknown({ description: 'a trace' }), {
    minItems: 1,
    maxItems: 100,
  }),
})
export const VerifyBody = NamedObject('TraceToVerify', {
  trace: TraceBody,
  card: Type.Optional(Type.Unknown({ description: 'an alignment card; default: the stored one' })),
})

export const TraceParams = Type.Object({ trace_id: Type.String() })

const VIOLATION_TYPES = [
  'CARD_MISMATCH',
  'CARD_EXPIRED',
  'UNBOUNDED_ACTION',
  'FORBIDDEN_ACTION',
  'MISSED_ESCALATION',
  'UNDECLARED_VALUE',
] as const satisfies readonly ViolationType[]

export const AgentTraceQuery = Type.Object({
  session_id: Type.Optional(Text(128)),
  verified: Type.Optional(Type.Boolean()),
  violation: Type.Optional(NamedEnum('TraceViolationType', [...VIOLATION_TYPES])),
  action_type: Type.Optional(NamedEnum('TraceActionType', [...ACTION_TYPES])),
  action_name: Type.Optional(Text(256)),
  provenance: Type.Optional(Provenance),
  from: Type.Optional(Instant),
  to: Type.Optional(Instant),
  ...PageQuery.properties,
})
export const TraceQuery = Type.Object({
  agent_id: Type.Optional(Text(128)),
  ...AgentTraceQuery.properties,
})

const verification = {
  verified: Type.Boolean(),
  violations: Type.Array(NamedEnum('TraceViolationType', [...VIOLATION_TYPES])),
  violation_details: Type.Array(
    NamedObject('TraceViolation', {
      type: NamedEnum('TraceViolationType', [...VIOLATION_TYPES]),
      severity: Type.Enum(['critical', 'high', 'medium']),
      description: Type.String(),
      trace_field: Type.String(),
    }),
  ),
  warnings: Type.Array(
    Type.Object({ type: Type.String(), description: Type.String(), trace_field: Type.String() }),
  ),
  similarity_score: Type.Number(),
  recommended_action: NamedEnum('TraceRecommendedAction', ['proceed', 'review', 'deny']),
  verified_at: Type.String(),
  algorithm_version: Type.String(),
}

export const Verdict = NamedObject('TraceVerificationResult', {
  ...verification,
  card_id: Nullable(Type.String({ description: 'null for a card that has no id' })),
})

export const Trace = NamedObject('Trace', {
  trace_id: Type.String(),
  agent_id: Type.String(),
  card_id: Type.String(),
  timestamp: Type.String(),
  action: Action,
  decision: Type.Object({ ...decision, confidence: Nullable(Type.Number()) }),
  escalation: Nullable(Escalation),
  context: Type.Object({ session_id: Type.String(), ...context }),
  tools: Type.Array(Type.String()),
  verification: NamedObject('TraceVerification', { ...verification, card_id: Type.String() }),
  policy: Nullable(
    Type.Object({
      verdict: NamedEnum('PolicyVerdict', ['pass', 'warn', 'fail']),
      violations: Type.Integer(),
      warnings: Type.Integer(),
      policy_id: Nullable(Type.String()),
      policy_version: Nullable(Type.Integer()),
      tools: Type.Array(Type.String({ description: 'a tool that violates the policy' })),
    }),
  ),
  decision_id: Nullable(Type.String()),
  provenance: Provenance,
  created_at: Type.String(),
  received_at: Type.String(),
})

export const TracePage = NamedObject('TracePage', { traces: Type.Array(Trace), ...PageFields })

export const BatchResult = NamedObject('TraceBatchResult', {
  results: Type.Array(
    NamedObject('TraceBatchItem', {
      index: Type.Integer(),
      status: Type.Enum(['created', 'duplicate', 'rejected']),
      trace_id: Type.Optional(Type.String()),
      verified: Type.Optional(Type.Boolean()),
      error: Type.Optional(Type.String()),
      message: Type.Optional(Type.String()),
    }),
  ),
  accepted: Type.Integer(),
  duplicates: Type.Integer(),
  rejected: Type.Integer(),
})

type Body = Static<typeof AgentTraceBody>

/** Drops unknown fields, so that they do not make two traces different. */
export function toInput(body: Body, agentId: string): TraceInput {
  if (body.agent_id !== undefined && body.agent_id !== agentId) {
    throw new Problem('invalid_request', 'agent_id: must be the agent in the path')
  }
  refuseOwnFields(body, ORIGIN_FIELDS)
  const { trace_id, card_id, timestamp, action, decision, escalation, context, tools } = body
  const { decision_id } = body
  const given = { trace_id, card_id, timestamp, escalation, context, tools, decision_id }
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  return { agent_id: agentId, action, decision, ...Object.fromEntries(present) }
}

/** Validates one item of a batch with the schema and validator of a single trace. */
export function readItem(req: FastifyRequest, item: unknown): TraceInput {
  // Our validators return a value or an error; the framework's types say boolean.
  const judge = req.compileValidationSchema(TraceBody, 'body') as (value: unknown) => unknown
  const judged = judge(item) as { error?: unknown }
  if (judged.error !== undefined) throw toProblem(judged.error, req.id)
  const body = item as Static<typeof TraceBody>
  return toInput(body, body.agent_id)
}

export function toFilter(
  orgId: string,
  query: Static<typeof TraceQuery>,
  agentId?: string,
): TraceFilter {
  return {
    orgId,
    agentId: agentId ?? query.agent_id,
    sessionId: query.session_id,
    verified: query.verified,
    violation: query.violation,
    actionType: query.action_type,
    actionName: query.action_name,
    provenance: query.provenance,
    from: toInstant(query.from, 'from'),
    to: toInstant(query.to, 'to'),
  }
}

export function toVerdict(verdict: TraceVerdict): Static<typeof Verdict> {
  const { violations, violation_details: details, warnings } = verdict
  return {
    ...verdict,
    violations: [...violations],
    violation_details: [...details],
    warnings: [...warnings],
  }
}

/** The parts of a trace are returned exactly as they were sent. */
export function toTrace(stored: StoredTrace): Static<typeof Trace> {
  const { trace } = stored
  const view = {
    trace_id: trace.trace_id,
    agent_id: trace.agent_id,
    card_id: trace.card_id,
    timestamp: trace.timestamp,
    action: trace.action,
    decision: { ...trace.decision, confidence: trace.decision.confidence ?? null },
    escalation: trace.escalation ?? null,
    context: { ...trace.context, session_id: stored.sessionId },
    tools: toolsOf(trace),
    verification: stored.verification,
    policy: stored.policy,
    decision_id: trace.decision_id ?? null,
    provenance: stored.provenance,
    created_at: stored.createdAt.toISOString(),
    received_at: stored.createdAt.toISOString(),
  }
  return view as unknown as Static<typeof Trace>
}

export function toTracePage(page: Page<StoredTrace>): Static<typeof TracePage> {
  return {
    traces: page.items.map(toTrace),
    ...toPageFields(page),
  }
}

export function toBatchResult(outcomes: readonly BatchOutcome[]): Static<typeof BatchResult> {
  const count = (status: BatchOutcome['status']) =>
    outcomes.filter((outcome) => outcome.status === status).length
  return {
    results: outcomes.map((outcome, index) =>
      outcome.status === 'rejected'
        ? {
            index,
            status: outcome.status,
            error: outcome.problem.code,
            message: outcome.problem.message,
          }
        : {
            index,
            status: outcome.status,
            trace_id: outcome.stored.trace.trace_id,
            verified: outcome.stored.verification.verified,
          },
    ),
    accepted: count('created'),
    duplicates: count('duplicate'),
    rejected: count('rejected'),
  }
}
