import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { policyOf } from './policy.fixture.ts'
import {
  BUILT_IN_DEFAULTS,
  ENFORCEMENT_MODES,
  type ForbiddenRule,
  type PolicyDefaults,
  SEVERITIES,
  UNMAPPED_TOOL_ACTIONS,
} from './policy.ts'
import { resolvedPolicyId, resolvePolicy } from './resolve-policy.ts'

const defaults = fc.record<PolicyDefaults>({
  unmapped_tool_action: fc.constantFrom(...UNMAPPED_TOOL_ACTIONS),
  unmapped_severity: fc.constantFrom(...SEVERITIES),
  fail_open: fc.boolean(),
  enforcement_mode: fc.constantFrom(...ENFORCEMENT_MODES),
  grace_period_hours: fc.nat(8760),
})
const rule = fc.record<ForbiddenRule>({
  pattern: fc.constantFrom('a', 'b', 'c'),
  reason: fc.constantFrom('r', 's'),
  severity: fc.constantFrom(...SEVERITIES),
})
const rules = fc.uniqueArray(rule, { selector: ({ pattern }) => pattern })

describe('the resolved policy', () => {
  it('is undefined without any document', () => {
    expect(resolvePolicy({})).toBeUndefined()
  })

  it('of the organisation alone is its document with the built-in defaults', () => {
    const org = policyOf({
      meta: { schema_version: '1.2', name: 'o', description: 'd', scope: 'org' },
    })
    expect(resolvePolicy({ org })).toEqual({
      mergeStrategy: 'org_only',
      policy: {
        ...org,
        meta: { schema_version: '1.0', name: 'o (resolved)', description: 'd', scope: 'resolved' },
        defaults: BUILT_IN_DEFAULTS,
      },
    })
  })

  it("takes its name and description from the agent's document", () => {
    const org = policyOf({
      meta: { schema_version: '1.0', name: 'o', description: 'd', scope: 'org' },
    })
    const policy = resolvePolicy({ org, agent: policyOf({}) })?.policy
    expect(policy?.meta).toEqual({
      schema_version: '1.0',
      name: 'test (resolved)',
      scope: 'resolved',
    })
  })

  it("is never looser than the organisation's policy", () => {
    fc.assert(
      fc.property(defaults, defaults, (floor, wish) => {
        const merged = resolvePolicy({
          org: policyOf({ defaults: floor }),
          agent: policyOf({ defaults: wish }),
        })?.policy.defaults
        if (merged === undefined) throw new Error('two documents must resolve')
        const rank = (list: readonly string[], value: string) => list.indexOf(value)
        const stricter = (list: readonly string[], a: string, b: string) =>
          list[Math.max(rank(list, a), rank(list, b))]
        expect(merged).toEqual({
          unmapped_tool_action: stricter(
            UNMAPPED_TOOL_ACTIONS,
            floor.unmapped_tool_action,
            wish.unmapped_tool_action,
          ),
          unmapped_severity: stricter(SEVERITIES, floor.unmapped_severity, wish.unmapped_severity),
          fail_open: floor.fail_open && wish.fail_open,
          enforcement_mode: stricter(
            ENFORCEMENT_MODES,
            floor.enforcement_mode,
            wish.enforcement_mode,
          ),
          grace_period_hours: Math.min(floor.grace_period_hours, wish.grace_period_hours),
        })
      }),
    )
  })

  it('keeps each forbidden pattern once, at its first position and strictest severity', () => {
    fc.assert(
      fc.property(rules, rules, (org, agent) => {
        const merged = resolvePolicy({
          org: policyOf({ forbidden: org }),
          agent: policyOf({ forbidden: agent }),
        })?.policy.forbidden
        const patterns = [...new Set([...org, ...agent].map(({ pattern }) => pattern))]
        expect(merged?.map(({ pattern }) => pattern)).toEqual(patterns)
        for (const found of merged ?? []) {
          const below = org.find(({ pattern }) => pattern === found.pattern)
          const above = agent.find(({ pattern }) => pattern === found.pattern)
          const rank = (of?: ForbiddenRule) => (of ? SEVERITIES.indexOf(of.severity) : -1)
          expect(found).toEqual(rank(above) >= rank(below) ? above : below)
        }
      }),
    )
  })

  it('has an id that anybody can compute', () => {
    const id = (agentId: string, orgVersion: number, agentVersion: number) =>
      resolvedPolicyId({ agentId, orgVersion, agentVersion })
    expect(id('agent-a4c12709', 2, 3)).toBe('pol-resolved-936405c2d8f2')
    expect(id('agent-demo', 0, 1)).toBe('pol-resolved-143c264f5c6a')
  })
})
