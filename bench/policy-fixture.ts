import type { MergedPolicy, PolicyCard } from '@touchstone/protocol/policy'

/** The result for one tool, in terms that every engine can express. */
export type Outcome = 'mapped' | 'forbidden' | 'unmapped'

export type Fixture = {
  policy: MergedPolicy
  card: PolicyCard
  tools: readonly string[]
  expected: readonly Outcome[]
}

const GLOBS_PER_CAPABILITY = 4
const FORBIDDEN = 20

/** Two exact names, one glob that ends in a wildcard and one with a wildcard in the middle. */
function globOf(capability: number, place: number): string {
  const service = `mcp__service${capability}`
  return (
    [
      `${service}__read`,
      `${service}__write`,
      `${service}__list*`,
      `mcp__*__export${capability}_report`,
    ][place] ?? service
  )
}

/**
 * A policy with four globs per capability and twenty forbidden globs, and ten tools: seven mapped
 * (two of them by a wildcard at the end, two by one in the middle), two forbidden and one unmapped.
 */
export function policyFixture(capabilities = 50): Fixture {
  const mappings = Array.from({ length: capabilities }, (_, i) => [
    `capability_${i}`,
    {
      tools: Array.from({ length: GLOBS_PER_CAPABILITY }, (__, place) => globOf(i, place)),
      card_actions: [`action_${i}`],
    },
  ])
  const policy: MergedPolicy = {
    meta: { schema_version: '1.0', name: 'bench', scope: 'agent' },
    capability_mappings: Object.fromEntries(mappings),
    forbidden: Array.from({ length: FORBIDDEN }, (_, i) => ({
      pattern: `mcp__danger${i}__*`,
      reason: 'Too dangerous',
      severity: 'critical',
    })),
    escalation_triggers: [],
    defaults: {
      unmapped_tool_action: 'block',
      unmapped_severity: 'high',
      fail_open: false,
      enforcement_mode: 'enforce',
      grace_period_hours: 0,
    },
  }
  return {
    policy,
    card: {
      autonomy_envelope: { bounded_actions: mappings.map((_, i) => `action_${i}`) },
    },
    tools: [
      'mcp__service1__read',
      'mcp__service17__write',
      'mcp__service49__read',
      'mcp__service23__list_orders',
      'mcp__service48__list',
      'mcp__sales__export12_report',
      'mcp__store__export40_report',
      'mcp__danger3__erase',
      'mcp__danger19__run_all',
      'mcp__elsewhere__look',
    ],
    expected: [
      ...Array<Outcome>(7).fill('mapped'),
      ...Array<Outcome>(2).fill('forbidden'),
      'unmapped',
    ],
  }
}
