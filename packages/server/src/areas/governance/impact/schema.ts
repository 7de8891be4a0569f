import { type Static, Type } from 'typebox'
import { Nullable } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Changes } from './impact-tally.ts'
import type { ImpactAsk, ImpactResult } from './service.ts'

const DAYS_DEFAULT = 7

export const ImpactBody = Type.Object({
  agent_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'whose policy the draft is; only and always for a draft of scope agent',
    }),
  ),
  policy: Type.Unknown({
    description:
      'the draft, a policy document; its meta.scope, agent or org, says where it would hold',
  }),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: DAYS_DEFAULT })),
})

const Verdict = Type.Enum(['pass', 'warn', 'fail'])

const ChangeCounts = {
  newly_failing: Type.Integer({ description: 'fail with the draft, and did not' }),
  newly_passing: Type.Integer({ description: 'fail now, and would not with the draft' }),
  unchanged: Type.Integer(),
}

export const ImpactAnswer = Type.Object({
  org_id: Type.String(),
  agent_id: Nullable(Type.String()),
  days: Type.Integer(),
  from: Type.String(),
  to: Type.String(),
  relation: Nullable(
    Type.Enum(['equal', 'stricter', 'looser', 'incomparable'], {
      description:
        'of the draft to the current policy in the tool names they block; null when not found out',
    }),
  ),
  relation_reason: Nullable(Type.String({ description: 'why there is no relation' })),
  counterexample: Type.Object({
    newly_blocked: Nullable(Type.String({ description: 'a name that only the draft blocks' })),
    newly_allowed: Nullable(Type.String({ description: 'a name that only today is blocked' })),
  }),
  unweighed: Type.Array(Type.String(), {
    description:
      'what differs too but depends on more than a name: card, deny_triggers, escalate_triggers, enforcement_mode, grace_period_hours, fail_open',
  }),
  may_loosen: Type.Array(Type.String(), {
    description: 'those of unweighed that may let through what is stopped today',
  }),
  traces_evaluated: Type.Integer(),
  truncated: Type.Boolean({
    description: 'older traces were left out: beyond 10,000, or for want of time',
  }),
  ...ChangeCounts,
  tools: Type.Array(
    Type.Object({
      tool: Type.String({ description: '* is the call as a whole' }),
      ...ChangeCounts,
      samples: Type.Array(
        Type.Object({
          trace_id: Type.String(),
          agent_id: Type.String(),
          timestamp: Type.String(),
          before: Verdict,
          after: Verdict,
        }),
        { description: 'the newest 10 that change' },
      ),
    }),
    { description: 'the 200 with most changes' },
  ),
  tools_total: Type.Integer(),
  agents: Type.Array(Type.Object({ agent_id: Type.String(), ...ChangeCounts }), {
    description: 'the 200 with most changes',
  }),
  agents_total: Type.Integer(),
})

export function toImpactAsk(orgId: string, body: Static<typeof ImpactBody>): ImpactAsk {
  const { agent_id: agentId, policy: draft, days = DAYS_DEFAULT } = body
  const isOfOrg = scopeOf(draft) === 'org'
  if (isOfOrg === (agentId !== undefined)) {
    const message = isOfOrg
      ? 'is not for a draft of scope org'
      : 'is required unless the scope of the draft is org; those of teams are not weighed here'
    const code = isOfOrg ? 'unknown_field' : 'required'
    throw new Problem('invalid_request', `agent_id ${message}`, {
      details: [{ path: '/agent_id', code, message }],
    })
  }
  return { orgId, agentId, draft, days }
}

/** Of a document that nobody has judged yet. */
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
