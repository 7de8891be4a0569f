import { describe, expect, it } from 'vitest'
import type { PolicyRules } from './policy.ts'
import { policyDifference } from './policy-difference.ts'

type Sparse = Partial<PolicyRules>

const rules = (sparse: Sparse): PolicyRules => ({
  capability_mappings: {},
  forbidden: [],
  escalation_triggers: [],
  defaults: {},
  ...sparse,
})
const mayLoosen = (draft: Sparse, current: Sparse) =>
  policyDifference({ draft: rules(draft), current: rules(current) }).mayLoosen
const trigger = (condition: string, action: 'deny' | 'escalate' | 'warn') => ({
  escalation_triggers: [{ condition, action, reason: 'r' }],
})
const web = (tools: string[], card_actions = ['fetch']) => ({
  capability_mappings: { web: { tools, card_actions } },
})

describe('a draft may be looser in other ways than names', () => {
  it('in none if both are the same', () => {
    const same = { ...trigger('tool_new', 'deny'), ...web(['get']), defaults: { fail_open: true } }
    expect(policyDifference({ draft: rules(same), current: rules(same) })).toEqual({
      unweighed: [],
      mayLoosen: [],
    })
  })

  it.each([
    ['enforcement_mode', { enforcement_mode: 'off' }, { enforcement_mode: 'enforce' }],
    ['enforcement_mode', {}, { enforcement_mode: 'enforce' }],
    ['grace_period_hours', { grace_period_hours: 48 }, { grace_period_hours: 24 }],
    ['fail_open', { fail_open: true }, {}],
  ] as const)('through a weaker default: %s', (name, draft, current) => {
    expect(mayLoosen({ defaults: draft }, { defaults: current })).toEqual([name])
    expect(mayLoosen({ defaults: current }, { defaults: draft })).toEqual([])
  })

  it('through a trigger that is removed, escalates instead of denying, or only warns', () => {
    const gone = (draft: Sparse, current: Sparse) => mayLoosen(draft, current)
    expect(gone({}, trigger('tool_new', 'deny'))).toEqual(['deny_triggers'])
    expect(gone({}, trigger('tool_new', 'escalate'))).toEqual(['escalate_triggers'])
    expect(gone(trigger('tool_new', 'warn'), trigger('tool_new', 'escalate'))).toEqual([
      'escalate_triggers',
    ])
    expect(gone(trigger('tool_new', 'escalate'), trigger('tool_new', 'deny'))).toEqual([
      'deny_triggers',
    ])
    expect(gone(trigger('hour > 8', 'deny'), trigger('hour > 9', 'deny'))).toEqual([
      'deny_triggers',
    ])
    expect(gone(trigger('tool_new', 'deny'), trigger('tool_new', 'escalate'))).toEqual([])
    expect(gone(trigger('tool_new', 'escalate'), {})).toEqual([])
    expect(gone({}, trigger('tool_new', 'warn'))).toEqual([])
  })

  it('through a mapping that requires less of the card, or may', () => {
    expect(mayLoosen({}, web(['get']))).toEqual(['card'])
    expect(mayLoosen(web(['get'], ['other']), web(['get']))).toEqual(['card'])
    expect(mayLoosen(web(['get', 'g*']), web(['get']))).toEqual(['card'])
    expect(mayLoosen(web(['get', 'got']), web(['g*']))).toEqual(['card'])
    expect(mayLoosen(web(['get'], ['fetch', 'other']), web(['get']))).toEqual([])
    expect(mayLoosen(web(['get', 'put']), web(['get']))).toEqual([])
    expect(mayLoosen(web(['get']), {})).toEqual([])
  })
})
