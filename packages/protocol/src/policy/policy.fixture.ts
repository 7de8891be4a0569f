import { readFileSync } from 'node:fs'
import type { EvaluationContext, TransactionStatus } from './evaluation.ts'
import type { MergedPolicy, PolicyCard, PolicyDocument, PolicyRules } from './policy.ts'
import { resolvePolicy } from './resolve-policy.ts'

const VECTORS_COPY = new URL('../../../../vectors/policy/policy.json', import.meta.url)

/** The vectors may omit sections; a stored document has them all. */
type SparsePolicy = Partial<PolicyDocument>
type Named<Value> = string | Value | null | undefined

export type EvaluateVector = {
  id: string
  title: string
  org_policy?: Named<SparsePolicy>
  agent_policy?: Named<SparsePolicy>
  overlay_defaults?: PolicyRules['defaults']
  card?: Named<PolicyCard>
  tools: string[]
  args?: Record<string, unknown>
  context?: EvaluationContext
  first_seen?: Record<string, string>
  enforced_since?: string
  transaction?: { status: TransactionStatus; action_type: string; tools: string[] }
  expected: Record<string, unknown>
}

type Vectors = {
  now: string
  fixtures: { policies: Record<string, SparsePolicy>; cards: Record<string, PolicyCard> }
  glob: { id: string; pattern: string; tool: string; match: boolean }[]
  pattern_cover: { id: string; forbidden: string; mapping: string; covered: boolean }[]
  condition_environment: never
  conditions: { id: string; condition: string; value: boolean }[]
  invalid_conditions: string[]
  validation_json_on_agent_path: {
    id: string
    title: string
    document: unknown
    expected: { status: number; codes?: string[] }
  }[]
  merge: {
    id: string
    title: string
    org: Named<SparsePolicy>
    agent: Named<SparsePolicy>
    expected: {
      merge_strategy: string
      capabilities: string[]
      forbidden: object[]
      mapping?: object
      triggers?: object[]
      defaults?: object
    }
  }[]
  evaluate: EvaluateVector[]
  transaction_merge: {
    id: string
    title: string
    resolved_from: { org: Named<SparsePolicy>; agent: Named<SparsePolicy> }
    teams?: SparsePolicy[]
    policy?: SparsePolicy
    tools: string[]
    expected: { capability_mappings?: object; defaults?: object; errors: object[] }
  }[]
  decide: {
    id: string
    title?: string
    containment: 'active' | 'paused' | 'killed'
    hold?: boolean
    agent_mode?: 'observe' | 'nudge' | 'enforce'
    evaluate?: EvaluateVector | null
    error?: boolean
    fail_open?: boolean
    expected: { http: number; decision: string; codes: string[] }
  }[]
}

export const VECTORS: Vectors = JSON.parse(readFileSync(VECTORS_COPY, 'utf8'))
export const NOW_MS = Date.parse(VECTORS.now)

/** A complete document from the parts that matter to a test. */
export function policyOf(sparse: SparsePolicy): PolicyDocument {
  return {
    meta: { schema_version: '1.0', name: 'test', scope: 'agent' },
    capability_mappings: {},
    forbidden: [],
    escalation_triggers: [],
    defaults: {},
    ...sparse,
  }
}

export function namedPolicy(named: Named<SparsePolicy>): PolicyDocument | undefined {
  const sparse = typeof named === 'string' ? VECTORS.fixtures.policies[named] : named
  return sparse ? policyOf(sparse) : undefined
}

export function namedCard(named: Named<PolicyCard>): PolicyCard | undefined {
  return (typeof named === 'string' ? VECTORS.fixtures.cards[named] : named) ?? undefined
}

export function resolved(org: Named<SparsePolicy>, agent: Named<SparsePolicy>) {
  return resolvePolicy({ org: namedPolicy(org), agent: namedPolicy(agent) })
}

export function mergedOf(sparse: SparsePolicy): MergedPolicy {
  const found = resolvePolicy({ agent: policyOf(sparse) })
  if (found === undefined) throw new Error('a single document must resolve')
  return found.policy
}
