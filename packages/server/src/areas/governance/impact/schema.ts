import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Changes } from './impact-tally.ts'
import type { ImpactRequest, ImpactResult } from './service.ts'

const DAYS_DEFAULT = 7

export const ImpactBody = NamedObject('PolicyImpactRequest', {
  agent_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'the agent whose policy is drafted; required if and only if the scope of the draft is agent',
    }),
  ),
  policy: Type.Unknown({
    description: 'the draft, a policy document; its meta.scope is agent or org',
  }),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: DAYS_DEFAULT })),
})

const Verdict = NamedEnum('PolicyVerdict', ['pass', 'warn', 'fail'])

const ChangeCounts = {
  newly_failing: Type.Integer({ description: 'fail with the draft but not today' }),
  newly_passing: Type.Integer({ description: 'fail today but not with the draft' }),
  unchanged: Type.Integer(),
}

export const ImpactAnswer = NamedObject('PolicyImpact', {
  org_id: Type.String(),
  agent_id: Nullable(Type.String()),
  days: Type.Integer(),
  from: Type.String(),
  to: Type.String(),
  relation: Nullable(
    NamedEnum('PolicyRelation', ['equal', 'stricter', 'looser', 'incomparable'], {
      description:
        'compares the tool names that the draft and the current policy block; null if undecided',
    }),
  ),
  relation_reason: Nullable(Type.String({ description: 'why the relation is null' })),
  counterexample: Type.Object({
    newly_blocked: Nullable(Type.String({ description: 'a tool name that only the draft blocks' })),
    newly_allowed: Nullable(
      Type.String({ description: 'a tool name that only the current policy blocks' }),
    ),
  }),
  unweighed: Type.Array(Type.String(), {
    description:
      'other differences, which depend on more than the tool name: card, deny_triggers, escalate_triggers, enforcement_mode, grace_period_hours, fail_open, limits, flows, model_limits, max_identical_calls, changed_tool_action, approval',
  }),
  may_loosen: Type.Array(Type.String(), {
    description: 'the entries of unweighed that could allow calls that are blocked today',
  }),
  traces_evaluated: Type.Integer(),
  truncated: Type.Boolean({
    description:
      'true if older traces were left out: at most 10,000 are evaluated, within a time limit',
  }),
  ...ChangeCounts,
  tools: Type.Array(
    NamedObject('ToolImpact', {
      tool: Type.String({ description: '* for the call as a whole' }),
      ...ChangeCounts,
      samples: Type.Array(
        Type.Object({
          trace_id: Type.String(),
          agent_id: Type.String(),
          timestamp: Type.String(),
          before: Verdict,
          after: Verdict,
        }),
        { description: 'the newest 10 traces whose verdict changes' },
      ),
    }),
    { description: 'the 200 with the most changes' },
  ),
  tools_total: Type.Integer(),
  agents: Type.Array(NamedObject('AgentImpact', { agent_id: Type.String(), ...ChangeCounts }), {
    description: 'the 200 with the most changes',
  }),
  agents_total: Type.Integer(),
})

export function toImpactRequest(orgId: string, body: Static<typeof ImpactBody>): ImpactRequest {
  const { agent_id: agentId, policy: draft, days = DAYS_DEFAULT } = body
  const isOfOrg = scopeOf(draft) === 'org'
  if (isOfOrg === (agentId !== undefined)) {
    const message = isOfOrg
      ? 'is not allowed for a draft of scope org'
      : 'is required unless the scope of the draft is org; drafts of scope team are not supported'
    const code = isOfOrg ? 'unknown_field' : 'required'
    throw new Problem('invalid_request', `agent_id ${message}`, {
      details: [{ path: '/agent_id', code, message }],
    })
  }
  return { orgId, agentId, draft, days }
}

/** Reads the scope of a document that has not been validated yet. */
function scopeOf(draft: unknown): unknown {
  const { meta } = Object(draft) as { meta?: unknown }
  return (Object(meta) as { scope?: unknown }).scope
}

export function toImpact(result: ImpactResult): Static<typeof ImpactAnswer> {
  const { relation, range } = result
  return {
    org_id: result.orgId,
    agent_id: result.agentId ?? null,
    days: result.days,
    from: range.start.toISOString(),
    to: range.end.toISOString(),
    relation: relation.relation,
    relation_reason: relation.reason,
    counterexample: {
      newly_blocked: relation.newlyBlocked,
      newly_allowed: relation.newlyAllowed,
    },
    unweighed: [...relation.unweighed],
    may_loosen: [...relation.mayLoosen],
    traces_evaluated: result.tracesEvaluated,
    truncated: result.truncated,
    ...toChanges(result),
    tools: result.tools.map(({ tool, samples, ...changes }) => ({
      tool,
      ...toChanges(changes),
      samples: samples.map((sample) => ({
        trace_id: sample.traceId,
        agent_id: sample.agentId,
        timestamp: sample.occurredAt.toISOString(),
        before: sample.before,
        after: sample.after,
      })),
    })),
    tools_total: result.toolsTotal,
    agents: result.agents.map(({ agentId, ...changes }) => ({
      agent_id: agentId,
      ...toChanges(changes),
    })),
    agents_total: result.agentsTotal,
  }
}

function toChanges({ newlyFailing, newlyPassing, unchanged }: Changes) {
  return { newly_failing: newlyFailing, newly_passing: newlyPassing, unchanged }
}
