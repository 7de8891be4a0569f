import type { Answer } from '@touchstone/sdk'

export type RuleKind =
  | 'capability_mappings'
  | 'forbidden'
  | 'escalation_triggers'
  | 'limits'
  | 'flows'
  | 'model_limits'

type Policy = Pick<Answer<'GET', '/v1/orgs/{org_id}/policy'>, RuleKind>

/** The layers that an agent's effective policy is merged from. */
export type PolicyLayers = { org: Policy | null; agent: Policy | null }

/** The keys by which rules of different layers are merged into one. */
const KEYS_OF: Record<RuleKind, (policy: Policy) => string[]> = {
  capability_mappings: (policy) => Object.keys(policy.capability_mappings),
  forbidden: ({ forbidden }) => forbidden.map(({ pattern }) => pattern),
  escalation_triggers: ({ escalation_triggers: triggers }) =>
    triggers.map(({ condition }) => condition),
  limits: ({ limits = [] }) => limits.map((limit) => JSON.stringify(limit)),
  flows: ({ flows = [] }) => flows.map((flow) => JSON.stringify(flow)),
  model_limits: ({ model_limits: limits = [] }) => limits.map(({ name }) => name),
}

/** Names the layers that have a rule; undefined if none has, because it was merged from others. */
export function originOf(layers: PolicyLayers, kind: RuleKind, key: string): string | undefined {
  const has = (policy: Policy | null) => policy !== null && KEYS_OF[kind](policy).includes(key)
  const names = [
    ...(has(layers.org) ? ['organisation'] : []),
    ...(has(layers.agent) ? ['agent'] : []),
  ]
  return names.length === 0 ? undefined : names.join(' and ')
}
