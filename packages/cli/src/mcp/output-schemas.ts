import type { Answer } from '@touchstone/sdk'
import { z } from 'zod'

/**
 * The form of the structured content of each tool. They name the fields that a model needs and allow
 * all others, because the content is the whole answer of the service, which may gain fields.
 */

const REASON = z.looseObject({ code: z.string(), message: z.string() })

const COMPONENT = z.looseObject({
  label: z.string(),
  score: z.number().nullable(),
  weight: z.number(),
  factors: z.array(z.string()),
})

export const REPUTATION = schemaOf<Answer<'GET', '/v1/reputation/{agent_id}'>>()({
  agent_id: z.string(),
  score: z.number().nullable().describe('0 to 1000; null if the agent is not rated'),
  grade: z.string().describe('AAA to CCC, or NR for not rated'),
  tier: z.string(),
  confidence: z.string(),
  trend_30d: z.number(),
  checkpoint_count: z.number(),
  components: z.array(COMPONENT),
})

export const VERIFICATION = schemaOf<Answer<'GET', '/v1/reputation/{agent_id}/verify'>>()({
  agent_id: z.string(),
  verified: z.boolean(),
  verification: z.looseObject({
    checkpoint_count: z.number(),
    hash_chain_valid: z.boolean(),
  }),
})

export const SEARCH = schemaOf<Answer<'GET', '/v1/reputation/search'>>()({
  agents: z.array(
    z.looseObject({ agent_id: z.string(), agent_name: z.string(), grade: z.string() }),
  ),
  total: z.number(),
})

export const COMPARISON = schemaOf<Answer<'GET', '/v1/reputation/compare'>>()({
  agents: z.array(
    z.looseObject({
      agent_id: z.string(),
      score: z.number().nullable(),
      grade: z.string(),
    }),
  ),
})

export const EVALUATION = schemaOf<Answer<'POST', '/v1/policies/evaluate'>>()({
  verdict: z.string().describe('pass, warn or fail'),
  violations: z.array(
    z.looseObject({
      tool: z.string(),
      reason: z.string(),
      severity: z.string(),
      blocking: z.boolean(),
    }),
  ),
  warnings: z.array(z.looseObject({ tool: z.string(), reason: z.string() })),
})

export const RISK = schemaOf<Answer<'POST', '/v1/risk/assess'>>()({
  agent_id: z.string(),
  risk_score: z.number(),
  risk_level: z.string(),
  recommendation: z.string(),
  explanation: z.string(),
})

export const TEAM_RISK = schemaOf<Answer<'POST', '/v1/risk/assess/team'>>()({
  team_risk_score: z.number(),
  team_risk_level: z.string(),
  team_recommendation: z.string(),
  explanation: z.string(),
})

const DECISION_FIELDS = {
  decision_id: z.string(),
  decision: z.string().describe('allow, warn, escalate or block'),
  agent_id: z.string(),
  tool: z.string(),
  decided_at: z.string(),
  reasons: z.array(REASON),
  outcome: z.looseObject({ status: z.string() }).nullable(),
}

export const DECISION = schemaOf<Answer<'GET', '/v1/decisions/{decision_id}'>>()(DECISION_FIELDS)

export const DECISION_LIST = schemaOf<Answer<'GET', '/v1/decisions'>>()({
  decisions: z.array(z.looseObject(DECISION_FIELDS)),
  next_cursor: z.string().nullable(),
})

export const APPROVAL_LIST = schemaOf<Answer<'GET', '/v1/escalations'>>()({
  escalations: z.array(
    z.looseObject({
      escalation_id: z.string(),
      status: z.string(),
      agent_id: z.string(),
      tool: z.string(),
      expires_at: z.string(),
    }),
  ),
  total: z.number(),
})

/** Accepts only a shape that every answer of the service has, by its published types. */
function schemaOf<T>() {
  return <S extends z.ZodRawShape>(
    shape: T extends z.output<z.ZodObject<S, z.core.$loose>> ? S : never,
  ) => z.looseObject(shape)
}
