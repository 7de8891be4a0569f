import { describe, expect, it } from 'vitest'
import { mergeTransaction, type TransactionLayers } from './merge-transaction.ts'
import { mergedOf, policyOf } from './policy.fixture.ts'
import { BUILT_IN_DEFAULTS } from './policy.ts'

const merge = (layers: Partial<TransactionLayers>) =>
  mergeTransaction({ transactionId: 'txn-1', teams: [], tools: [], ...layers })
const mapping = (tools: string[], card_actions: string[]) => ({ tools, card_actions })
const mappings = (layers: Partial<TransactionLayers>) => merge(layers).policy.capability_mappings
const faults = (layers: Partial<TransactionLayers>) =>
  merge(layers).faults.map(({ message }) => message)

describe('the capabilities of a transaction', () => {
  const resolved = mergedOf({
    capability_mappings: {
      fs: { description: 'files', ...mapping(['fs_*'], ['read', 'write', 'list']) },
      web: mapping(['web_*'], ['fetch']),
    },
  })

  it('are those that every layer with mappings has', () => {
    const team = policyOf({ capability_mappings: { fs: mapping(['*'], ['list', 'read']) } })
    expect(mappings({ resolved, teams: [team], tools: ['web_get', 'fs_b', 'fs_a'] })).toEqual({
      fs: { description: 'files', tools: ['fs_b', 'fs_a'], card_actions: ['read', 'list'] },
    })
  })

  it('are not restricted by a layer without mappings, nor by a missing one', () => {
    const tools = ['web_get']
    const expected = { web: mapping(['web_get'], ['fetch']) }
    expect(mappings({ resolved, teams: [policyOf({})], tools })).toEqual(expected)
    expect(mappings({ teams: [], own: resolved, tools })).toEqual(expected)
  })

  it('are dropped if no tool or no action is common', () => {
    const others = policyOf({ capability_mappings: { web: mapping(['web_*'], ['search']) } })
    expect(mappings({ resolved, own: others, tools: ['web_get', 'fs_a'] })).toEqual({})
  })

  it('contain names only: a listed pattern allows nothing', () => {
    expect(mappings({ resolved, tools: ['fs_*', 'fs_?', 'fs_a'] })).toEqual({
      fs: { description: 'files', tools: ['fs_a'], card_actions: ['read', 'write', 'list'] },
    })
  })
})

describe('the rules of a transaction', () => {
  it('are merged layer by layer and never loosened', () => {
    const { policy } = merge({
      resolved: mergedOf({
        forbidden: [{ pattern: 'x', reason: 'resolved', severity: 'high' }],
        defaults: { grace_period_hours: 12 },
      }),
      teams: [
        policyOf({ forbidden: [{ pattern: 'x', reason: 'team', severity: 'low' }] }),
        policyOf({ forbidden: [{ pattern: 'y', reason: 'team', severity: 'low' }] }),
      ],
      own: policyOf({
        forbidden: [{ pattern: 'y', reason: 'own', severity: 'medium' }],
        escalation_triggers: [{ condition: 'tool_new', action: 'deny', reason: 'own' }],
        defaults: { enforcement_mode: 'off', fail_open: true, unmapped_tool_action: 'block' },
      }),
    })
    expect(policy).toEqual({
      meta: { schema_version: '1.0', name: 'transaction:txn-1', scope: 'transaction' },
      capability_mappings: {},
      forbidden: [
        { pattern: 'x', reason: 'resolved', severity: 'high' },
        { pattern: 'y', reason: 'own', severity: 'medium' },
      ],
      escalation_triggers: [
        { condition: 'tool_new', action: 'deny', reason: 'own', severity: 'high' },
      ],
      defaults: { ...BUILT_IN_DEFAULTS, grace_period_hours: 12, unmapped_tool_action: 'block' },
    })
  })
})

describe('the tools of a transaction', () => {
  it('must be named in full', () => {
    expect(faults({ tools: ['a*', 'b?', 'c'] })).toEqual([
      'invalid tool reference "a*": a tool must be named in full',
      'invalid tool reference "b?": a tool must be named in full',
    ])
  })

  it('must be mapped only if unmapped tools are blocked', () => {
    const own = (unmapped_tool_action: 'warn' | 'block') =>
      policyOf({ defaults: { unmapped_tool_action } })
    expect(faults({ own: own('warn'), tools: ['a'] })).toEqual([])
    expect(faults({ own: own('block'), tools: ['a', 'a'] })).toEqual([
      'invalid tool reference "a": no layer maps it',
    ])
  })

  it('must not be forbidden by a blocking rule, even if they are mapped', () => {
    const resolved = mergedOf({ capability_mappings: { a: mapping(['*'], ['x']) } })
    const team = policyOf({
      forbidden: [
        { pattern: 'a*', reason: 'r', severity: 'high' },
        { pattern: 'b*', reason: 'r', severity: 'medium' },
      ],
    })
    expect(faults({ resolved, teams: [team], tools: ['a1', 'b1'] })).toEqual([
      'policy merge conflict on "a1": a rule forbids it',
    ])
  })

  it('must remain in a capability if any layer maps them', () => {
    const resolved = mergedOf({ capability_mappings: { a: mapping(['a'], ['x']) } })
    const own = policyOf({ capability_mappings: { b: mapping(['a'], ['x']) } })
    expect(faults({ resolved, own, tools: ['a'] })).toEqual([
      'policy merge conflict on "a": no capability maps it in every layer',
    ])
  })
})
