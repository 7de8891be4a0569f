import { type MergedPolicy, resolvePolicy, validatePolicy } from '@touchstone/protocol/policy'
import { HOOK_CLIENTS } from '@touchstone/sdk/hooks/clients'
import { describe, expect, it } from 'vitest'
import { chooseProbes } from './choose-probes.ts'

function policyOf(parts: object): MergedPolicy {
  const document = { meta: { schema_version: '1.0', name: 'P', scope: 'agent' }, ...parts }
  const outcome = validatePolicy(document, { scope: 'agent' })
  const resolution = outcome.valid ? resolvePolicy({ agent: outcome.policy }) : undefined
  if (resolution === undefined) throw new Error(JSON.stringify(outcome))
  return resolution.policy
}

const ENFORCE = { enforcement_mode: 'enforce', grace_period_hours: 0 } as const
const forbid = (pattern: string, severity: 'low' | 'high' = 'high') => ({
  pattern,
  reason: 'No',
  severity,
})

function toolsOf(client: (typeof HOOK_CLIENTS)[number], parts: object) {
  const { harmless, forbidden } = chooseProbes(client, { policy: policyOf(parts) })
  return { harmless: harmless?.tool, forbidden: forbidden?.tool }
}

describe('chooseProbes', () => {
  it('calls a tool of its own and one that a rule forbids', () => {
    const defaults = { ...ENFORCE, unmapped_tool_action: 'allow' }
    const rules = [forbid('Grep', 'low'), forbid('mcp__shell__*')]
    expect(toolsOf('claude-code', { forbidden: rules, defaults })).toEqual({
      harmless: 'touchstone_connect_test',
      forbidden: 'mcp__shell__x',
    })
  })

  it('takes the tools of a policy that lists what is allowed', () => {
    const learned = {
      capability_mappings: { tools: { tools: ['Bash', 'Read'], card_actions: ['work'] } },
      escalation_triggers: [{ condition: "tool == 'Bash'", action: 'escalate', reason: 'Ask' }],
      defaults: { ...ENFORCE, unmapped_tool_action: 'block' },
    }
    expect(toolsOf('codex', learned)).toEqual({
      harmless: 'Read',
      forbidden: 'touchstone_connect_test',
    })
    expect(toolsOf('windsurf', learned)).toEqual({
      harmless: 'Read',
      forbidden: 'mcp__touchstone__touchstone_connect_test',
    })
  })

  it('finds no blocked call if unknown tools have a grace period, and no harmless one then', () => {
    const graced = { defaults: { ...ENFORCE, unmapped_tool_action: 'block' } }
    expect(toolsOf('codex', { defaults: { ...graced.defaults, grace_period_hours: 1 } })).toEqual({
      harmless: undefined,
      forbidden: undefined,
    })
    expect(toolsOf('codex', graced).forbidden).toBe('touchstone_connect_test')
  })

  it('heeds the card', () => {
    const policy = policyOf({
      capability_mappings: { a: { tools: ['Read'], card_actions: ['read'] } },
      defaults: { ...ENFORCE, unmapped_tool_action: 'block' },
    })
    const card = { autonomy_envelope: { bounded_actions: ['read'], forbidden_actions: [] } }
    expect(chooseProbes('codex', { policy, card }).harmless?.tool).toBe('Read')
    const none = { autonomy_envelope: { bounded_actions: [], forbidden_actions: [] } }
    expect(chooseProbes('codex', { policy, card: none }).harmless).toBeUndefined()
  })

  it.each(HOOK_CLIENTS)('knows how %s describes a call, with and without a policy', (client) => {
    expect(chooseProbes(client, undefined).harmless).toBeDefined()
    expect(toolsOf(client, { forbidden: [forbid('Bash')], defaults: ENFORCE })).toMatchObject({
      forbidden: 'Bash',
    })
  })
})
