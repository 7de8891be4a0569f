import { describe, expect, it } from 'vitest'
import { checkDraft } from './check-draft.ts'
import { readArguments, tryCall } from './try-call.ts'

const POLICY = `meta: {schema_version: "1.1", name: shop, scope: agent}
capability_mappings:
  shop: {tools: [refund, look], card_actions: [serve]}
forbidden: []
escalation_triggers:
  - {condition: "tool == 'refund' and args.cents > 5000", action: escalate, reason: Large refund}
limits:
  - {name: refunds, tools: [refund], max: 2, per: session, reason: Few refunds}
defaults: {enforcement_mode: enforce}
`

const { policy: agent } = checkDraft(POLICY, { kind: 'agent' })
const tried = (args: object | undefined, before: string[] = []) =>
  tryCall({ org: undefined, agent }, { tool: 'refund', args: { ...args }, before })

describe('a call that is tried', () => {
  it('is judged by its arguments', () => {
    expect(tried({ cents: 100 }).verdict).toBe('pass')
    expect(tried({ cents: 9000 }).violations[0]?.reason).toBe('Large refund')
  })

  it('is judged by the calls of the session before it', () => {
    expect(tried({ cents: 100 }, ['look', 'refund']).verdict).toBe('pass')
    expect(tried({ cents: 100 }, ['refund', 'refund']).violations[0]?.reason).toMatch(
      /^Few refunds/,
    )
  })
})

it('is judged by the rules of the organisation, too', () => {
  const { policy } = checkDraft(POLICY.replace('scope: agent', 'scope: org'), { kind: 'org' })
  const call = { tool: 'refund', args: { cents: 9000 }, before: [] }
  const { violations } = tryCall({ org: policy, agent: undefined }, call)
  expect(violations[0]?.reason).toBe('Large refund')
})

describe('arguments', () => {
  it('are a JSON object, or none', () => {
    expect(readArguments(' ')).toBeUndefined()
    expect(readArguments('{"a": 1}')).toEqual({ a: 1 })
    expect(() => readArguments('[1]')).toThrow('must be a JSON object')
    expect(() => readArguments('{a}')).toThrow()
  })
})
