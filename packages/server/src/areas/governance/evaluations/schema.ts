import { EVALUATION_CONTEXTS, SEVERITIES } from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
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
import type { HistoryResult } from './history-service.ts'
import type { EvaluationRequest, EvaluationResult, HistoryRequest } from './service.ts'
import { STORED_FINDINGS_MAX, type StoredEvaluation } from './stored-evaluation.ts'

const AgentId = Type.String({ minLength: 1, maxLength: 128 })

/** The names that `isToolName` accepts. */
const ToolName = Type.String({
  pattern: '^[^\\s\\p{Cc}\\p{Cs}]{1,256}$',
  description: '1 to 256 characters without white space',
})

/** Not validated here: policy validation reports findings by code. */
const Candidate = Type.Optional(
  Type.Unknown({
    description: "a policy document to use instead of the agent's own, for this request only",
  }),
)

const Context = (fallback: string) =>
  Type.Optional(NamedEnum('EvaluationContext', [...EVALUATION_CONTEXTS], { default: fallback }))

export const EvaluateBody = NamedObject('PolicyEvaluationRequest', {
  agent_id: AgentId,
  tools: Type.Array(ToolName, { maxItems: 500 }),
  context: Context('gateway'),
  transaction_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  policy: Candidate,
})

/** For proxies that cannot change the body they forward. */
export const EvaluateHeaders = Type.Object({
  'x-transaction-id': Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
})

export const HistoryBody = NamedObject('HistoricalEvaluationRequest', {
  agent_id: AgentId,
  time_range: Type.Object({ start: Instant, end: Instant }),
  context: Context('audit'),
  policy: Candidate,
})

const VERDICTS = ['pass', 'warn', 'fail'] as const

export const EvaluationQuery = Type.Object({
  verdict: Type.Optional(NamedEnum('PolicyVerdict', [...VERDICTS])),
  ...PageQuery.properties,
})

const Violation = {
  type: Type.Enum(['forbidden', 'unmapped', 'escalation', 'limit', 'flow', 'loop', 'tool_changed']),
  tool: Type.String({ description: '* for the call as a whole' }),
  reason: Type.String(),
  severity: NamedEnum('Severity', [...SEVERITIES]),
  blocking: Type.Boolean(),
  rule: Type.String({
    description:
      'a pattern or a condition, or one of: default, card, transaction, max_identical_calls, changed_tool_action; a limit or flow by its layer and name, such as org/refunds',
  }),
  capability: Type.Optional(Type.String()),
  action: Type.Optional(Type.Enum(['escalate', 'deny'])),
}

const Findings = {
  verdict: NamedEnum('PolicyVerdict', [...VERDICTS]),
  violations: Type.Array(NamedObject('PolicyViolation', Violation)),
  warnings: Type.Array(
    NamedObject('PolicyWarning', {
      type: Type.Enum([
        'unmapped_tool',
        'grace_period',
        'escalation_triggered',
        'limit',
        'tool_changed',
      ]),
      tool: Type.String(),
      reason: Type.String(),
      expires_at: Type.Optional(Type.String()),
    }),
  ),
  card_gaps: Type.Array(
    NamedObject('CardGap', {
      tool: Type.String(),
      capability: Type.String(),
      missing_card_actions: Type.Array(Type.String()),
      reason: Type.String(),
    }),
  ),
  coverage: NamedObject('CardCoverage', {
    total_card_actions: Type.Integer(),
    mapped_card_actions: Type.Array(Type.String()),
    unmapped_card_actions: Type.Array(Type.String()),
    coverage_pct: Type.Number(),
  }),
}

const Source = {
  policy_id: Nullable(Type.String({ description: "the agent's policy, else its organisation's" })),
  policy_version: Nullable(Type.Integer()),
}

const About = {
  ...Source,
  evaluated_at: Type.String(),
  context: NamedEnum('EvaluationContext', [...EVALUATION_CONTEXTS]),
  duration_ms: Type.Number(),
  enforcement_mode: NamedEnum('PolicyMode', ['off', 'warn', 'enforce']),
  transaction_id: Nullable(Type.String()),
}

/** Bounds the answer: hundreds of tools under hundreds of rules have very many findings. */
const FINDINGS_SHOWN_MAX = 1000

const Counted = (shown: number) =>
  Type.Integer({ description: `the total; at most ${shown.toLocaleString('en')} are listed` })

export const EvaluationAnswer = NamedObject('PolicyEvaluation', {
  ...Findings,
  ...About,
  violation_count: Counted(FINDINGS_SHOWN_MAX),
  warning_count: Counted(FINDINGS_SHOWN_MAX),
  evaluation_id: Nullable(Type.String({ description: 'null if the evaluation was not recorded' })),
})

export const EvaluationPage = NamedObject('PolicyEvaluationPage', {
  evaluations: Type.Array(
    NamedObject('RecordedPolicyEvaluation', {
      ...Findings,
      ...About,
      evaluation_id: Type.String(),
      agent_id: Type.String(),
      trace_id: Nullable(Type.String({ description: 'the evaluated trace, if it was a trace' })),
      violation_count: Counted(STORED_FINDINGS_MAX),
      warning_count: Counted(STORED_FINDINGS_MAX),
    }),
  ),
  ...PageFields,
})

export const HistoryAnswer = NamedObject('HistoricalEvaluation', {
  agent_id: Type.String(),
  traces_evaluated: Type.Integer(),
  verdict: NamedEnum('PolicyVerdict', [...VERDICTS]),
  violation_count: Type.Integer(),
  violations: Type.Array(
    NamedObject('HistoricalViolation', {
      trace_id: Type.String(),
      occurred_at: Type.String(),
      ...Violation,
    }),
    { description: 'the first 1,000 by time and trace' },
  ),
  summary: Type.Object({ pass: Type.Integer(), warn: Type.Integer(), fail: Type.Integer() }),
  truncated: Type.Boolean({ description: 'true if only the newest 10,000 traces were evaluated' }),
  ...Source,
  evaluated_at: Type.String(),
  duration_ms: Type.Number(),
})

export function toEvaluationRequest(
  orgId: string,
  body: Static<typeof EvaluateBody>,
  headers: Static<typeof EvaluateHeaders>,
): Omit<EvaluationRequest, 'isRecorded'> {
  return {
    orgId,
    agentId: body.agent_id,
    tools: body.tools,
    context: body.context ?? 'gateway',
    transactionId: body.transaction_id ?? headers['x-transaction-id'],
    candidate: body.policy,
  }
}

export function toHistoryRequest(orgId: string, body: Static<typeof HistoryBody>): HistoryRequest {
  const start = toInstant(body.time_range.start, 'time_range/start')
  const end = toInstant(body.time_range.end, 'time_range/end')
  if (start === undefined || end === undefined) {
    throw new Problem('invalid_request', 'time_range: start and end are required')
  }
  return {
    orgId,
    agentId: body.agent_id,
    range: { start, end },
    context: body.context ?? 'audit',
    candidate: body.policy,
  }
}

export function toEvaluation(result: EvaluationResult): Static<typeof EvaluationAnswer> {
  const { violations, warnings } = result.evaluation
  return {
    ...common(result),
    violation_count: violations.length,
    warning_count: warnings.length,
    evaluation_id: result.evaluationId,
  }
}

export function toEvaluationPage(page: Page<StoredEvaluation>): Static<typeof EvaluationPage> {
  return {
    evaluations: page.items.map((item) => ({
      ...common(item),
      evaluation_id: item.evaluationId,
      agent_id: item.agentId,
      trace_id: item.traceId,
      violation_count: item.violationCount,
      warning_count: item.warningCount,
    })),
    ...toPageFields(page),
  }
}

export function toHistory(result: HistoryResult): Static<typeof HistoryAnswer> {
  return {
    agent_id: result.agentId,
    traces_evaluated: result.tracesEvaluated,
    verdict: result.verdict,
    violation_count: result.violationCount,
    violations: result.violations.map(({ traceId, occurredAt, approval: _, ...violation }) => ({
      trace_id: traceId,
      occurred_at: occurredAt.toISOString(),
      ...violation,
    })),
    summary: { ...result.summary },
    truncated: result.truncated,
    policy_id: result.policyId,
    policy_version: result.policyVersion,
    evaluated_at: result.evaluatedAt.toISOString(),
    duration_ms: result.durationMs,
  }
}

/** The evaluation already uses the API's field names. */
function common(judged: Omit<EvaluationResult, 'evaluationId'>) {
  const { verdict, violations, warnings, card_gaps, coverage } = judged.evaluation
  return {
    verdict,
    violations: violations.slice(0, FINDINGS_SHOWN_MAX).map(({ approval: _, ...shown }) => shown),
    warnings: warnings.slice(0, FINDINGS_SHOWN_MAX),
    card_gaps: card_gaps.map((gap) => ({
      ...gap,
      missing_card_actions: [...gap.missing_card_actions],
    })),
    coverage: {
      ...coverage,
      mapped_card_actions: [...coverage.mapped_card_actions],
      unmapped_card_actions: [...coverage.unmapped_card_actions],
    },
    policy_id: judged.policyId,
    policy_version: judged.policyVersion,
    evaluated_at: judged.evaluatedAt.toISOString(),
    context: judged.context,
    duration_ms: judged.durationMs,
    enforcement_mode: judged.policyMode,
    transaction_id: judged.transactionId,
  }
}
