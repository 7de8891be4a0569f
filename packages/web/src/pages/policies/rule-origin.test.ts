import { expect, it } from 'vitest'
import { originOf, type PolicyLayers } from './rule-origin.ts'

const policy = (fields: object) =>
  ({
    capability_mappings: {},
    forbidden: [],
    escalation_triggers: [],
    ...fields,
  }) as NonNullable<PolicyLayers['org']>

const LAYERS: PolicyLayers = {
  org: policy({
    forbidden: [
      { pattern: '*shell*', reason: 'No shell', severity: 'high' },
      { pattern: 'pay', reason: 'No money', severity: 'low' },
    ],
    capability_mappings: { web: { tools: ['fetch'], card_actions: ['search'] } },
  }),
  agent: policy({
    forbidden: [{ pattern: 'pay', reason: 'Never', severity: 'critical' }],
    escalation_triggers: [{ condition: "tool == 'mail'", action: 'escalate', reason: 'People' }],
  }),
}

it.each([
  ['forbidden', '*shell*', 'organisation'],
  ['forbidden', 'pay', 'organisation and agent'],
  ['capability_mappings', 'web', 'organisation'],
  ['escalation_triggers', "tool == 'mail'", 'agent'],
  ['limits', '{}', undefined],
] as const)('the rule %s %s comes from %s', (kind, key, origin) => {
  expect(originOf(LAYERS, kind, key)).toBe(origin)
})
