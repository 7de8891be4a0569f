import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePolicy } from './compile-policy.ts'
import { evaluatePolicy, toolsFirstSeen } from './evaluate-policy.ts'
import type { EvaluationCall } from './evaluation.ts'
import { mergedOf, NOW_MS } from './policy.fixture.ts'
import type { PolicyDocument } from './policy.ts'

const HOUR_MS = 3_600_000

type Asked = Partial<EvaluationCall> & { policy?: Partial<PolicyDocument>; card?: object }

function evaluate({ policy = {}, card, ...call }: Asked) {
  const { bounded = [], refused = [] } = (card ?? {}) as { bounded?: string[]; refused?: string[] }
  const envelope = { bounded_actions: bounded, forbidden_actions: refused }
  const compiled = compilePolicy({
    policy: mergedOf(policy),
    card: card && { autonomy_envelope: envelope },
  })
  return evaluatePolicy(compiled, {
    tools: ['t'],
    context: 'gateway',
    nowMs: NOW_MS,
    firstSeenMs: new Map(),
    ...call,
  })
}

const rule = (pattern: string, severity: 'low' | 'high') => ({ pattern, reason: 'r', severity })
const trigger = (condition: string, action: 'escalate' | 'warn' | 'deny') => ({
  condition,
  action,
  reason: condition,
})
const maps = (...card_actions: string[]) => ({ tools: ['t*'], card_actions })

describe('the evaluation of a tool', () => {
  it('lists every matching forbidden rule, in the order of the policy', () => {
    const forbidden = [rule('*', 'low'), rule('u', 'low'), rule('t', 'high'), rule('t*', 'low')]
    expect(evaluate({ policy: { forbidden } })).toMatchObject({
      verdict: 'fail',
      violations: [
        { rule: '*', blocking: false },
        { rule: 't', blocking: true },
        { rule: 't*', blocking: false },
      ],
      warnings: [],
    })
  })

  it('reports a tool that is named twice only once', () => {
    const { warnings } = evaluate({ tools: ['b', 'a', 'b'] })
    expect(warnings.map(({ tool }) => tool)).toEqual(['b', 'a'])
  })

  it('passes an unmapped tool if that is allowed', () => {
    const policy = { defaults: { unmapped_tool_action: 'allow' } } as const
    expect(evaluate({ policy })).toMatchObject({ verdict: 'pass', violations: [], warnings: [] })
  })

  it('forbids what the card forbids, even if the card also bounds it, without a grace period', () => {
    const policy = { capability_mappings: { a: maps('x', 'y') } }
    const card = { bounded: ['x', 'y'], refused: ['y'] }
    const found = evaluate({ policy, card })
    expect(found.violations).toEqual([
      {
        type: 'forbidden',
        tool: 't',
        reason: 'The card forbids y',
        severity: 'critical',
        blocking: true,
        rule: 'card',
        capability: 'a',
      },
    ])
    expect(found.card_gaps).toEqual([])
  })

  it('uses the capability with the fewest missing actions, the first by name in case of a tie', () => {
    const capability_mappings = {
      z: maps('x', 'y'),
      B: maps('x', 'w'),
      a: maps('u', 'v', 'w'),
      C: maps('x', 'w'),
    }
    const found = evaluate({
      policy: { capability_mappings },
      card: { bounded: ['x'] },
      context: 'audit',
    })
    expect(found.card_gaps).toMatchObject([{ capability: 'B', missing_card_actions: ['w'] }])
    expect(found.violations).toMatchObject([{ type: 'unmapped', capability: 'B', rule: 'card' }])
  })

  it('keeps the reason short if many actions are missing', () => {
    const policy = { capability_mappings: { a: maps('p', 'q', 'r', 's', 't') } }
    const { card_gaps } = evaluate({ policy, card: {} })
    expect(card_gaps[0]?.reason).toBe('The card does not grant p, q, r and 2 more')
  })
})

describe('the grace period', () => {
  const policy = { defaults: { unmapped_tool_action: 'block', grace_period_hours: 2 } } as const
  const seen = (hours: number) => new Map([['t', NOW_MS - hours * HOUR_MS]])

  it('starts for a tool that is first seen now', () => {
    const expires_at = new Date(NOW_MS + 2 * HOUR_MS).toISOString()
    expect(evaluate({ policy }).warnings).toMatchObject([{ type: 'grace_period', expires_at }])
  })

  it('ends to the millisecond', () => {
    const at = (nowMs: number) =>
      evaluate({ policy, nowMs, firstSeenMs: new Map([['t', NOW_MS]]) }).verdict
    expect(at(NOW_MS + 2 * HOUR_MS - 1)).toBe('warn')
    expect(at(NOW_MS + 2 * HOUR_MS)).toBe('fail')
  })

  it('is not shortened by enforcement that started before the tool was seen', () => {
    const call = { firstSeenMs: seen(1), enforcedSinceMs: NOW_MS - 9 * HOUR_MS }
    expect(evaluate({ policy, ...call }).verdict).toBe('warn')
  })

  it('determines tool_new, except in an audit', () => {
    const asked = { ...policy, escalation_triggers: [trigger('tool_new', 'escalate')] }
    const firedFor = (call: Partial<EvaluationCall>) =>
      evaluate({ policy: asked, ...call }).violations.some(({ type }) => type === 'escalation')
    expect(firedFor({})).toBe(true)
    expect(firedFor({ firstSeenMs: seen(3) })).toBe(false)
    expect(firedFor({ context: 'audit' })).toBe(false)
  })

  it('starts for the tools that a live evaluation sees first', () => {
    const call = { tools: ['u', 't', 'u'], firstSeenMs: seen(1) }
    expect(toolsFirstSeen({ ...call, context: 'runtime' })).toEqual(['u'])
    expect(toolsFirstSeen({ ...call, context: 'audit' })).toEqual([])
  })
})

describe('triggers', () => {
  it('come after the other findings of their tool, those of the call last', () => {
    const found = evaluate({
      tools: ['t1', 't2'],
      policy: {
        forbidden: [rule('t*', 'low')],
        escalation_triggers: [
          trigger('tool_count == 2', 'deny'),
          trigger('tool != ""', 'escalate'),
        ],
        defaults: { unmapped_tool_action: 'block', grace_period_hours: 0 },
      },
    })
    expect(found.violations.map(({ type, tool }) => `${type} ${tool}`)).toEqual([
      'forbidden t1',
      'unmapped t1',
      'escalation t1',
      'forbidden t2',
      'unmapped t2',
      'escalation t2',
      'escalation *',
    ])
    expect(found.violations.at(-1)).toEqual({
      type: 'escalation',
      tool: '*',
      reason: 'tool_count == 2',
      severity: 'high',
      blocking: true,
      rule: 'tool_count == 2',
      action: 'deny',
    })
  })

  it.each([
    ['tool_count == 4 and forbidden_tool_count == 2 and unmapped_tool_count == 2', true],
    ["server == 'pay' and tool == 'mcp__pay__now' and capability == ''", true],
    ["tool == 'mapped' and capability == 'cap' and tool_mapped and not tool_forbidden", true],
    ["tool == 'low' and tool_forbidden and not tool_mapped", true],
    ["server == 'x'", false],
    ["context == 'gateway' and hour == 12 and weekday == 1", true],
    ["action_type != '' or in_transaction", false],
    ['args.x == 1', true],
  ])('evaluate %s: %s', (condition, fires) => {
    const found = evaluate({
      tools: ['mapped', 'low', 'blocked', 'mcp__pay__now', 'low'],
      args: { x: 1 },
      policy: {
        capability_mappings: { cap: { tools: ['mapped'], card_actions: ['x'] } },
        forbidden: [rule('low', 'low'), rule('blocked', 'high')],
        escalation_triggers: [trigger(condition, 'escalate')],
      },
    })
    expect(found.violations.some(({ type }) => type === 'escalation')).toBe(fires)
  })

  it.each(['mcp__', 'mcp__a', 'mcp_a__b', 'mcp____b'])('find no server in %s', (tool) => {
    const policy = { escalation_triggers: [trigger("server == ''", 'deny')] }
    expect(evaluate({ policy, tools: [tool] }).verdict).toBe('fail')
  })

  it('of a transaction know its action type', () => {
    const condition = "in_transaction and action_type == 'data_access'"
    const transaction = { status: 'active', actionType: 'data_access', tools: ['t'] } as const
    const policy = { escalation_triggers: [trigger(condition, 'deny')] }
    expect(evaluate({ policy, transaction }).verdict).toBe('fail')
    expect(evaluate({ policy }).verdict).toBe('warn')
  })
})

describe('a transaction', () => {
  it.each(['completed', 'expired'] as const)('that is %s allows no tool', (status) => {
    const transaction = { status, actionType: 'x', tools: ['t'] }
    expect(evaluate({ transaction }).violations).toMatchObject([
      { type: 'unmapped', reason: `Transaction is ${status}`, rule: 'transaction' },
    ])
  })

  it('binds even if the policy is off, and forbidden tools stay forbidden', () => {
    const transaction = { status: 'active', actionType: 'x', tools: ['other'] } as const
    const forbidden = [rule('t', 'low')]
    const off = { defaults: { enforcement_mode: 'off' }, forbidden } as const
    const typesOf = (policy: Partial<PolicyDocument>) =>
      evaluate({ policy, transaction }).violations.map(({ type }) => type)
    expect(typesOf(off)).toEqual(['unmapped'])
    expect(typesOf({ forbidden })).toEqual(['forbidden', 'unmapped'])
  })
})

describe('an evaluation', () => {
  it('can be aborted before any tool', () => {
    let tools = 0
    const beforeStep = () => {
      tools++
      if (tools === 3) throw new Error('late')
    }
    expect(() => evaluate({ tools: ['a', 'b', 'c', 'd'], beforeStep })).toThrow('late')
  })

  it('can be aborted before any trigger, of a tool or of the call', () => {
    const trigger = (condition: string) => ({ condition, action: 'warn', reason: 'r' }) as const
    for (const condition of ['args.x contains args.y', 'hour > 30']) {
      let steps = 0
      const beforeStep = () => {
        steps++
        if (steps === 4) throw new Error('late')
      }
      const escalation_triggers = [1, 2, 3, 4].map(() => trigger(condition))
      const policy = { escalation_triggers }
      expect(() => evaluate({ policy, tools: ['a'], beforeStep })).toThrow('late')
      expect(steps).toBe(4)
    }
  })

  it('finds the same for each tool as for that tool alone, if no condition is about the call', () => {
    const letters = fc.constantFrom('a', 'b', 'c', '*', '?')
    const pattern = fc.array(letters, { minLength: 1, maxLength: 4 }).map((p) => p.join(''))
    const policy = fc.record({
      capability_mappings: fc.dictionary(
        fc.constantFrom('k', 'l', 'm'),
        fc.record({
          tools: fc.array(pattern, { minLength: 1, maxLength: 3 }),
          card_actions: fc.subarray(['x', 'y', 'z'], { minLength: 1 }),
        }),
      ),
      forbidden: fc.array(
        fc.record({
          pattern,
          reason: fc.constant('r'),
          severity: fc.constantFrom('low' as const, 'high' as const),
        }),
        { maxLength: 4 },
      ),
    })
    const tools = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 }))
    const card = fc.record({ bounded: fc.subarray(['x', 'y']), refused: fc.subarray(['y', 'z']) })
    fc.assert(
      fc.property(policy, tools, card, (p, names, c) => {
        // One rule per pattern, because two would be merged.
        const forbidden = [...new Map(p.forbidden.map((r) => [r.pattern, r])).values()]
        const asked = { policy: { ...p, forbidden }, card: c }
        const together = evaluate({ ...asked, tools: names })
        const alone = names.map((name) => evaluate({ ...asked, tools: [name] }))
        expect(together.violations).toEqual(alone.flatMap(({ violations }) => violations))
        expect(together.warnings).toEqual(alone.flatMap(({ warnings }) => warnings))
        expect(together.card_gaps).toEqual(alone.flatMap(({ card_gaps }) => card_gaps))
      }),
    )
  })

  it('rejects a policy that was never validated', () => {
    const escalation_triggers = [trigger('tool >', 'deny')]
    expect(() => evaluate({ policy: { escalation_triggers } })).toThrow('ends unexpectedly')
  })
})
