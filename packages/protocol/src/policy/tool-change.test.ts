import { describe, expect, it } from 'vitest'
import { decideCall } from './decide.ts'
import type { Evaluation } from './evaluation.ts'
import { BUILT_IN_DEFAULTS, type PolicyDefaults, type PolicyRules } from './policy.ts'
import { policyRelation } from './policy-relation.ts'
import { resolvePolicy } from './resolve-policy.ts'
import { withSessionFindings } from './session-counters.ts'
import { changedToolFinding } from './tool-change.ts'
import { validatePolicy } from './validate-policy.ts'

const TOOL = 'mcp__shop__refund'

const documentOf = (defaults: object, version = '1.1') => ({
  meta: { schema_version: version, name: 'Pins', scope: 'agent' },
  defaults,
})
const rulesOf = (defaults: PolicyRules['defaults']): PolicyRules => ({
  capability_mappings: {},
  forbidden: [],
  escalation_triggers: [],
  defaults,
})

function decided(defaults: Partial<PolicyDefaults>) {
  const merged = { ...BUILT_IN_DEFAULTS, ...defaults }
  const finding = changedToolFinding(merged, TOOL)
  const nothing: Evaluation = {
    verdict: 'pass',
    violations: [],
    warnings: [],
    card_gaps: [],
    coverage: {
      total_card_actions: 0,
      mapped_card_actions: [],
      unmapped_card_actions: [],
      coverage_pct: 0,
    },
  }
  const evaluation = withSessionFindings(nothing, finding === undefined ? [] : [finding])
  return decideCall({
    tool: TOOL,
    containment: 'active',
    hold: false,
    agentMode: 'enforce',
    policy: { outcome: 'evaluated', evaluation, mode: merged.enforcement_mode },
  })
}

describe('a call of a changed tool', () => {
  it.each([
    [{ enforcement_mode: 'enforce' }, 'escalate'],
    [{ enforcement_mode: 'enforce', changed_tool_action: 'warn' }, 'warn'],
    [{ enforcement_mode: 'enforce', changed_tool_action: 'escalate' }, 'escalate'],
    [{ enforcement_mode: 'enforce', changed_tool_action: 'block' }, 'block'],
    [{ enforcement_mode: 'warn', changed_tool_action: 'block' }, 'warn'],
    [{}, 'warn'],
  ] as const)('with defaults %j is decided %s', (defaults, decision) => {
    const { decision: actual, reasons } = decided(defaults)
    expect(actual).toBe(decision)
    expect(reasons).toMatchObject([{ code: 'tool_changed', source: 'policy', tool: TOOL }])
  })

  it('has no reason in policy mode off', () => {
    expect(decided({ enforcement_mode: 'off', changed_tool_action: 'block' })).toMatchObject({
      decision: 'allow',
      reasons: [],
    })
  })

  it('is lifted by an approval that names this rule', () => {
    const finding = changedToolFinding({ ...BUILT_IN_DEFAULTS, enforcement_mode: 'enforce' }, TOOL)
    expect(finding).toMatchObject({
      violation: { rule: 'changed_tool_action', action: 'escalate' },
    })
  })
})

describe('the default changed_tool_action', () => {
  it.each(['warn', 'escalate', 'block'])('can be %s', (changed_tool_action) => {
    const outcome = validatePolicy(documentOf({ changed_tool_action }), { scope: 'agent' })
    expect(outcome).toMatchObject({ valid: true, policy: { defaults: { changed_tool_action } } })
  })

  it.each([['allow'], ['deny'], [null], [1]])('cannot be %j', (changed_tool_action) => {
    const outcome = validatePolicy(documentOf({ changed_tool_action }), { scope: 'agent' })
    expect(outcome).toMatchObject({
      valid: false,
      errors: [{ path: '/defaults/changed_tool_action' }],
    })
  })

  it('needs schema_version 1.1', () => {
    const outcome = validatePolicy(documentOf({ changed_tool_action: 'warn' }, '1.0'), {
      scope: 'agent',
    })
    expect(outcome).toMatchObject({
      valid: false,
      errors: [{ path: '/defaults/changed_tool_action', code: 'unknown_field' }],
    })
  })

  it('merges to the stricter of two layers, and an unset one is inherited', () => {
    const merged = (
      lower: PolicyDefaults['changed_tool_action'],
      upper: PolicyDefaults['changed_tool_action'],
    ) => {
      const of = (action: typeof lower, scope: 'org' | 'agent') => ({
        ...rulesOf(action === undefined ? {} : { changed_tool_action: action }),
        meta: { schema_version: '1.1', name: scope, scope },
      })
      return resolvePolicy({ org: of(lower, 'org'), agent: of(upper, 'agent') })?.policy
    }
    expect(merged('block', 'warn')?.defaults.changed_tool_action).toBe('block')
    expect(merged('warn', 'escalate')?.defaults.changed_tool_action).toBe('escalate')
    expect(merged('block', undefined)?.defaults.changed_tool_action).toBe('block')
    expect(merged(undefined, 'warn')?.defaults.changed_tool_action).toBe('warn')
    expect(merged(undefined, undefined)?.defaults).not.toHaveProperty('changed_tool_action')
    expect(merged(undefined, 'warn')?.meta.schema_version).toBe('1.1')
  })

  it('has a warning where the organisation demands more', () => {
    const { warnings } = validatePolicy(documentOf({ changed_tool_action: 'warn' }), {
      scope: 'agent',
      org: rulesOf({ changed_tool_action: 'block' }),
    })
    expect(warnings).toContainEqual(
      expect.objectContaining({
        path: '/defaults/changed_tool_action',
        code: 'ineffective_default',
      }),
    )
  })

  it('shows in the comparison of policies which direction a change takes', () => {
    const compare = (draft: PolicyRules['defaults'], current: PolicyRules['defaults']) => {
      const relation = policyRelation({ draft: rulesOf(draft), current: rulesOf(current) })
      return { unweighed: relation.unweighed, mayLoosen: relation.mayLoosen }
    }
    const name = 'changed_tool_action'
    expect(compare({ [name]: 'warn' }, {})).toEqual({ unweighed: [name], mayLoosen: [name] })
    expect(compare({ [name]: 'block' }, {})).toEqual({ unweighed: [name], mayLoosen: [] })
    expect(compare({ [name]: 'escalate' }, {})).toEqual({ unweighed: [], mayLoosen: [] })
  })
})
