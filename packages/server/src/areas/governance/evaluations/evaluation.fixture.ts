import {
  compilePolicy,
  type Evaluation,
  type PolicyCard,
  type PolicyRules,
  resolvePolicy,
} from '@touchstone/protocol/policy'
import { type RawBuilder, sql } from 'kysely'
import type { EffectiveRules } from './call-policy.ts'
import type { JudgedCall } from './judged-call.ts'

export const NOW = new Date('2026-03-01T12:00:00.000Z')

/** The rules of an agent whose document has these parts. */
export function effectiveRulesOf(parts: Partial<PolicyRules>, card?: PolicyCard): EffectiveRules {
  const agent = {
    meta: { schema_version: '1.0', name: 'test', scope: 'agent' },
    capability_mappings: {},
    forbidden: [],
    escalation_triggers: [],
    defaults: {},
    ...parts,
  } as const
  const resolved = resolvePolicy({ agent })
  if (resolved === undefined) throw new Error('a document must resolve to a policy')
  const { policy } = resolved
  const source = { policyId: 'pol-1', version: 3 }
  return {
    policy: {
      resolution: { policy, source, enforcedSince: null, changedAt: new Date(0) },
      compiled: compilePolicy({ policy, card }),
    },
    card,
  }
}

/** Forbids the tool `wipe`. */
export const NO_WIPING: Partial<PolicyRules> = {
  forbidden: [{ pattern: 'wipe', reason: 'Nothing is wiped', severity: 'critical' }],
}

const COVERAGE = {
  total_card_actions: 0,
  mapped_card_actions: [],
  unmapped_card_actions: [],
  coverage_pct: 0,
}

export function evaluationOf(...tools: string[]): Evaluation {
  return {
    verdict: tools.length === 0 ? 'pass' : 'fail',
    violations: tools.map((tool) => ({
      type: 'forbidden',
      tool,
      reason: 'No',
      severity: 'high',
      blocking: true,
      rule: tool,
    })),
    warnings: [],
    card_gaps: [],
    coverage: COVERAGE,
  }
}

export function judgedOf(changes: Partial<JudgedCall> = {}): JudgedCall {
  return {
    orgId: 'org-1',
    agentId: 'agent-1',
    context: 'gateway',
    policyMode: 'enforce',
    policyId: 'pol-1',
    policyVersion: 3,
    transactionId: null,
    evaluation: evaluationOf('wipe'),
    evaluatedAt: NOW,
    durationMs: 0.412,
    ...changes,
  }
}

/** Treats every agent as existing. */
export function selectExisting(agentIds: readonly string[]): RawBuilder<{ agent_id: string }> {
  return sql`select unnest(${agentIds}::text[]) as agent_id`
}
