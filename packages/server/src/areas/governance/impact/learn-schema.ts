import { type CallFinding, IGNORED_CALLS } from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, Nullable, toInstant } from '../../../http/wire.ts'
import type { LearnRequest, LearnResult } from './learn-service.ts'
import { ImpactAnswer, toImpact } from './schema.ts'

const DAYS_DEFAULT = 7
/** Bounds the answer, which also contains the total. */
const STOPPED_MAX = 500

export const LearnBody = NamedObject('PolicyLearnRequest', {
  agent_id: Type.String({ minLength: 1, maxLength: 128 }),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, default: DAYS_DEFAULT })),
  to: Type.Optional(
    Type.String({ ...Instant, description: 'the end of the days, exclusive; default: now' }),
  ),
})

const Effect = NamedEnum('LearnedEffect', ['allow', 'escalate'])

const Counts = {
  decisions: Type.Integer(),
  traces: Type.Integer(),
}

const FINDINGS: CallFinding[] = ['used', 'asked', ...IGNORED_CALLS]

export const LearnAnswer = NamedObject('LearnedPolicy', {
  agent_id: Type.String(),
  from: Type.String(),
  to: Type.String(),
  message: Type.String({ description: 'the result in words' }),
  policy: Nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'a policy document of scope agent, which is not stored; null if nothing was recorded that proves the use of a tool. Then nothing is suggested, neither to allow nor to block',
    }),
  ),
  rules: Type.Array(
    NamedObject('LearnedRule', {
      tool: Type.String(),
      effect: Effect,
      capability: Type.String(),
      path: Type.String({ description: 'a JSON pointer to the name of the tool in the policy' }),
      escalated_by: Nullable(
        Type.String({ description: 'a JSON pointer to the trigger that asks a person' }),
      ),
      ...Counts,
      first_seen: Type.String(),
      last_seen: Type.String(),
    }),
    { description: 'every tool in the policy, with the calls that prove its use' },
  ),
  impact: Nullable(ImpactAnswer),
  would_have_stopped: Type.Array(
    NamedObject('StoppedTool', {
      tool: Type.String(),
      effect: NamedEnum('StoppedEffect', ['block', 'escalate']),
      reasons: Type.Array(Type.String(), { description: 'those of the policy' }),
      ...Counts,
      findings: Type.Record(Type.String(), Type.Integer(), {
        description: `how many of these calls were ${FINDINGS.join(', ')}`,
      }),
      last_seen: Type.String(),
      example_decision_id: Nullable(Type.String()),
      example_trace_id: Nullable(Type.String()),
    }),
    { description: `the ${STOPPED_MAX} tools with the most calls` },
  ),
  would_have_stopped_total: Type.Integer(),
  ignored: Type.Record(Type.String(), Type.Integer(), {
    description: `calls that prove nothing, by reason: ${IGNORED_CALLS.join(', ')}`,
  }),
  decisions_counted: Type.Integer(),
  traces_counted: Type.Integer(),
  truncated: Type.Boolean({ description: 'true if only the newest 100,000 traces were counted' }),
})

export function toLearnRequest(orgId: string, body: Static<typeof LearnBody>): LearnRequest {
  const { agent_id: agentId, days = DAYS_DEFAULT, to } = body
  return { orgId, agentId, days, end: toInstant(to, 'to') }
}

export function toLearned(result: LearnResult): Static<typeof LearnAnswer> {
  const { policy, rules, stopped, impact, range } = result
  const mostUsed = stopped.toSorted((a, b) => callsOf(b) - callsOf(a))
  return {
    agent_id: result.agentId,
    from: range.start.toISOString(),
    to: range.end.toISOString(),
    message: messageOf(result),
    policy: policy ?? null,
    rules: rules.map((rule) => ({
      tool: rule.tool,
      effect: rule.effect,
      capability: rule.capability,
      path: rule.path,
      escalated_by: rule.escalatedBy,
      decisions: rule.decisions,
      traces: rule.traces,
      first_seen: new Date(rule.firstMs).toISOString(),
      last_seen: new Date(rule.lastMs).toISOString(),
    })),
    impact: impact === undefined ? null : toImpact(impact),
    would_have_stopped: mostUsed.slice(0, STOPPED_MAX).map((one) => ({
      tool: one.tool,
      effect: one.effect,
      reasons: [...one.reasons],
      decisions: one.decisions,
      traces: one.traces,
      findings: { ...one.findings },
      last_seen: new Date(one.lastMs).toISOString(),
      example_decision_id: one.exampleDecision,
      example_trace_id: one.exampleTrace,
    })),
    would_have_stopped_total: stopped.length,
    ignored: { ...result.ignored },
    decisions_counted: result.decisions,
    traces_counted: result.traces,
    truncated: result.truncated,
  }
}

function callsOf({ decisions, traces }: LearnResult['stopped'][number]): number {
  return decisions + traces
}

function messageOf({ policy, rules, stopped, decisions, traces, ignored }: LearnResult): string {
  if (policy !== undefined) {
    const asked = rules.filter(({ effect }) => effect === 'escalate').length
    return `The policy allows ${tools(rules.length - asked)}, asks a person about ${tools(asked)} and blocks all others. It would have stopped calls of ${tools(stopped.length)}. It is not stored.`
  }
  if (decisions + traces === 0) {
    return 'Nothing was recorded in this period, so there is no policy to suggest.'
  }
  const reasons = Object.entries(ignored).map(([reason, count]) => `${reason}: ${count}`)
  return `No call in this period proves the use of a tool, so there is no policy to suggest (${reasons.join(', ')}).`
}

function tools(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`
}
