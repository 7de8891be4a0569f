import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ENFORCEMENT_MODES,
  POLICY_TRIGGER_ACTIONS,
  type PolicyDocument,
  SEVERITIES,
  UNMAPPED_TOOL_ACTIONS,
} from '../policy/policy.ts'
import { policyRelation } from '../policy/policy-relation.ts'
import { mergeProposal, type PolicyProposal } from './merge-proposal.ts'

const ASK = "tool_matches('search')"

const floor = (action: 'warn' | 'block' = 'block'): PolicyDocument => ({
  meta: { schema_version: '1.0', name: 'floor', scope: 'team' },
  capability_mappings: {
    archive: { tools: ['archive', '*__archive'], card_actions: ['archive'] },
    search: { tools: ['search', '*__search'], card_actions: ['search'] },
  },
  forbidden: [{ pattern: 'drop', reason: 'card', severity: 'high' }],
  escalation_triggers: [{ condition: ASK, action: 'escalate', reason: 'lines' }],
  defaults: {
    unmapped_tool_action: action,
    unmapped_severity: 'high',
    fail_open: false,
    enforcement_mode: 'enforce',
    grace_period_hours: 24,
  },
})

const proposal = (given: Partial<PolicyProposal> = {}): PolicyProposal => ({
  mappings: [],
  forbidden: [],
  escalation_triggers: [],
  defaults: {},
  ...given,
})

describe('mergeProposal', () => {
  it('adds rules and triggers, and keeps the metadata', () => {
    const merged = mergeProposal(
      floor(),
      proposal({
        forbidden: [{ pattern: 'shell', reason: 'no', severity: 'low' }],
        escalation_triggers: [{ condition: 'tool_count > 5', action: 'warn', reason: 'many' }],
      }),
    )
    expect(merged.meta).toEqual(floor().meta)
    expect(merged.forbidden.map(({ pattern }) => pattern)).toEqual(['drop', 'shell'])
    expect(merged.escalation_triggers.map(({ condition }) => condition)).toEqual([
      ASK,
      'tool_count > 5',
    ])
  })

  it('weakens neither a rule, nor a trigger, nor a default', () => {
    const merged = mergeProposal(
      floor(),
      proposal({
        forbidden: [{ pattern: 'drop', reason: 'fine', severity: 'low' }],
        escalation_triggers: [{ condition: `${ASK} `, action: 'warn', reason: 'fine' }],
        defaults: {
          unmapped_tool_action: 'allow',
          unmapped_severity: 'low',
          fail_open: true,
          enforcement_mode: 'off',
          grace_period_hours: 8760,
        },
      }),
    )
    expect(merged).toMatchObject(floor())
    expect(merged.escalation_triggers).toHaveLength(1)
  })

  it('replaces a trigger of the floor with a stricter one', () => {
    const escalation_triggers = [{ condition: ASK, action: 'deny', reason: 'no' } as const]
    const merged = mergeProposal(floor(), proposal({ escalation_triggers }))
    expect(merged.escalation_triggers).toMatchObject([{ condition: ASK, action: 'deny' }])
  })

  it('removes tools from mappings, and ignores tools that the floor does not map there', () => {
    const mappings = [
      { capability: 'search', tools: ['search', 'archive', 'mcp__evil__run'] },
      { capability: 'archive', tools: ['mcp__evil__run'] },
      { capability: 'evil', tools: ['mcp__evil__run'] },
    ]
    expect(mergeProposal(floor(), proposal({ mappings })).capability_mappings).toEqual({
      ...floor().capability_mappings,
      search: { tools: ['search'], card_actions: ['search'] },
    })
  })

  it('removes nothing if unmapped tools are allowed', () => {
    const mappings = [{ capability: 'search', tools: ['search'] }]
    const merged = mergeProposal(floor('warn'), proposal({ mappings }))
    expect(merged.capability_mappings).toEqual(floor().capability_mappings)
  })

  it('blocks everything that the floor blocks, whatever is proposed', () => {
    const tool = fc.constantFrom('search', 'archive', 'drop', '*', '*__search', 'a?')
    const proposed = fc.record({
      mappings: fc.array(
        fc.record({
          capability: fc.constantFrom('search', 'archive', 'other'),
          tools: fc.array(tool),
        }),
      ),
      forbidden: fc.uniqueArray(
        fc.record({ pattern: tool, reason: fc.constant('r'), severity: choice(SEVERITIES) }),
        { selector: ({ pattern }) => pattern },
      ),
      escalation_triggers: fc.array(
        fc.record({
          condition: fc.constantFrom(ASK, 'tool_new'),
          action: choice(POLICY_TRIGGER_ACTIONS),
          reason: fc.constant('r'),
        }),
      ),
      defaults: fc.record(
        {
          unmapped_tool_action: choice(UNMAPPED_TOOL_ACTIONS),
          enforcement_mode: choice(ENFORCEMENT_MODES),
          fail_open: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
    })
    fc.assert(
      fc.property(proposed, fc.constantFrom('warn' as const, 'block' as const), (given, action) => {
        const current = floor(action)
        const draft = mergeProposal(current, given)
        expect(['equal', 'stricter']).toContain(policyRelation({ draft, current }).relation)
        expect(draft.defaults).toMatchObject({ fail_open: false, enforcement_mode: 'enforce' })
        const asked = draft.escalation_triggers.filter(({ condition }) => condition === ASK)
        expect(asked.some((trigger) => trigger.action !== 'warn')).toBe(true)
      }),
    )
  })
})

function choice<Choice>(of: readonly Choice[]) {
  return fc.constantFrom(...of)
}
