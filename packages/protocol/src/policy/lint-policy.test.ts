import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { compilePolicy } from './compile-policy.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import { EVALUATION_CONTEXTS, type EvaluationCall } from './evaluation.ts'
import { lintPolicy } from './lint-policy.ts'
import { mergedOf, policyOf, VECTORS } from './policy.fixture.ts'
import type { PolicyDocument, PolicyRules, PolicyTrigger, Severity } from './policy.ts'
import { validatePolicy } from './validate-policy.ts'

type Sparse = Partial<PolicyDocument>

const rule = (pattern: string, severity: Severity = 'high') => ({ pattern, reason: 'r', severity })
const mapping = (tools: string[], card_actions = ['act']) => ({ tools, card_actions })
const trigger = (condition: string): PolicyTrigger => ({ condition, action: 'deny', reason: 'r' })
const found = (policy: Sparse) => lintPolicy(policyOf(policy)).map(({ path, code }) => [path, code])

describe('ineffective rules', () => {
  it.each<[string, ReturnType<typeof rule>[], string[]]>([
    ['covered by a broader rule', [rule('mcp__fs__delete'), rule('mcp__fs__*')], ['/forbidden/0']],
    ['covered by a stricter rule', [rule('a*', 'low'), rule('*', 'medium')], ['/forbidden/0']],
    ['the later of two equivalent rules', [rule('a*?'), rule('a?*')], ['/forbidden/1']],
    ['the milder of two equivalent rules', [rule('a*', 'low'), rule('a**')], ['/forbidden/0']],
  ])('are reported: %s', (_what, forbidden, paths) => {
    expect(found({ forbidden })).toEqual(paths.map((path) => [path, 'shadowed_rule']))
  })

  it.each<[string, ReturnType<typeof rule>[]]>([
    ['a stricter rule below a broader one', [rule('a*', 'critical'), rule('*', 'high')]],
    ['two overlapping rules', [rule('a*'), rule('*b')]],
    ['a broader rule with a narrower, more severe one', [rule('*'), rule('a', 'critical')]],
  ])('do not include %s', (_what, forbidden) => {
    expect(found({ forbidden })).toEqual([])
  })
})

describe('ineffective tools', () => {
  it('are reported within one list', () => {
    const capability_mappings = { web: mapping(['fetch', 'f*', 'search']) }
    expect(found({ capability_mappings })).toEqual([
      ['/capability_mappings/web/tools/0', 'redundant_tool'],
    ])
  })

  it('are reported if another capability is always preferred', () => {
    const capability_mappings = {
      b: mapping(['web_fetch'], ['read', 'write']),
      a: mapping(['web_*'], ['read']),
    }
    expect(found({ capability_mappings })).toEqual([
      ['/capability_mappings/b/tools/0', 'shadowed_tool'],
    ])
  })

  it.each<[string, PolicyRules['capability_mappings']]>([
    ['it requires more', { a: mapping(['*'], ['x', 'y']), b: mapping(['web'], ['x']) }],
    ['it requires something else', { a: mapping(['*'], ['y']), b: mapping(['web'], ['x']) }],
    ['its name comes later', { b: mapping(['*'], ['x']), a: mapping(['web'], ['x']) }],
  ])('are not reported if another capability maps them and %s', (_why, capability_mappings) => {
    expect(found({ capability_mappings })).toEqual([])
  })
})

describe('conditions that are never true', () => {
  it.each([
    'false and tool_new',
    "1 > 2 or 'a' == 'b' and tool_new",
    'hour > 23',
    'hour == 9.5',
    'weekday == 7',
    'hour < 8 and hour > 18',
    'tool_count < 0',
    'tool_count > 3 and tool_count < 4',
    'tool_mapped and not tool_mapped',
    'tool_new == true and not tool_new',
    "context == 'production'",
    "tool == 'a' and tool == 'b'",
    "tool == 'read' and tool_matches('write*')",
    "tool_matches('mcp__a__*') and tool_matches('mcp__b__*')",
    "tool matches '*delete*' and not (tool contains 'delete')",
    "capability == 'x' and capability != 'x'",
    'args.amount > 10 and args.amount < 5',
    "args.amount > 10 and args.amount == 'many'",
    "args.mode == 'a' and args.mode == 'b'",
    'not (hour >= 0)',
    'hour != hour',
  ])('are reported: %s', (condition) => {
    expect(found({ escalation_triggers: [trigger(condition)] })).toEqual([
      ['/escalation_triggers/0/condition', 'unreachable_trigger'],
    ])
  })

  it.each([
    'hour < 8 or hour > 18',
    'tool_count > 3 and tool_count < 5',
    'args.amount > 10 and args.amount < 10.5',
    'not (args.amount > 10) and not (args.amount <= 10)',
    "tool_matches('a*') and tool_matches('*b')",
    "tool contains '*' and tool_matches('a?c')",
    'args.a > args.b and args.a < args.b',
    "context != 'audit'",
    'not tool_mapped and tool_forbidden',
    "server == '' and tool_matches('mcp__*')",
  ])('do not include: %s', (condition) => {
    expect(found({ escalation_triggers: [trigger(condition)] })).toEqual([])
  })
})

/** Few letters, so that patterns overlap. */
const pattern = fc
  .array(fc.constantFrom('a', 'b', '*', '?', '*'), { minLength: 1, maxLength: 4 })
  .map((letters) => letters.join(''))
const name = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 })
  .map((letters) => letters.join(''))
const actions = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 })
const leaf = fc.oneof(
  pattern.map((text) => `tool_matches('${text}')`),
  fc.tuple(fc.constantFrom('==', '!='), name).map(([op, text]) => `tool ${op} '${text}'`),
  name.map((text) => `tool contains '${text}'`),
  fc
    .tuple(
      fc.constantFrom('hour', 'tool_count', 'args.n'),
      fc.constantFrom('<', '>', '>=', '==', '!='),
      fc.constantFrom('0', '1', '1.5', '23'),
    )
    .map((parts) => parts.join(' ')),
  fc.constantFrom('tool_mapped', 'tool_forbidden', "context == 'audit'", "capability == 'a'"),
)
const condition = fc
  .array(fc.tuple(fc.boolean(), leaf, fc.constantFrom('and', 'and', 'or')), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) =>
    parts.map(([not, text, join], i) => `${i ? join : ''} ${not ? 'not' : ''} ${text}`).join(' '),
  )
const policy = fc.record({
  forbidden: fc.uniqueArray(
    fc.record({
      pattern,
      reason: fc.constant('r'),
      severity: fc.constantFrom<Severity>('low', 'medium', 'high', 'critical'),
    }),
    { maxLength: 5, selector: (of) => of.pattern },
  ),
  capability_mappings: fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.record({
      tools: fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 }),
      card_actions: actions,
    }),
  ),
  escalation_triggers: fc.uniqueArray(condition, { maxLength: 4 }).map((all) => all.map(trigger)),
  defaults: fc.constantFrom({}, { unmapped_tool_action: 'block' } as const),
})
const call = fc.record({
  tools: fc.array(name, { maxLength: 3 }),
  context: fc.constantFrom(...EVALUATION_CONTEXTS),
  nowMs: fc.integer({ min: 0, max: 7 * 86_400_000 }),
  firstSeenMs: fc.constant(new Map<string, number>()),
  args: fc.constantFrom({}, { n: 1 }, { n: 23 }),
})
const card = fc.option(
  fc.record({ bounded_actions: actions, forbidden_actions: actions }).map((autonomy_envelope) => {
    return { autonomy_envelope }
  }),
  { nil: undefined },
)

type Card = NonNullable<Parameters<typeof compilePolicy>[0]['card']>

/** The verdicts of all calls. */
function verdicts(of: Sparse, held: Card | undefined, calls: readonly EvaluationCall[]) {
  const compiled = compilePolicy({ policy: mergedOf(of), card: held })
  return calls.map((asked) => evaluatePolicy(compiled, asked).verdict)
}

/** The policy without the parts at these paths. */
function without(of: PolicyRules, paths: ReadonlySet<string>): PolicyRules {
  return {
    ...of,
    forbidden: of.forbidden.filter((_, i) => !paths.has(`/forbidden/${i}`)),
    escalation_triggers: of.escalation_triggers.filter(
      (_, i) => !paths.has(`/escalation_triggers/${i}/condition`),
    ),
    capability_mappings: Object.fromEntries(
      Object.entries(of.capability_mappings).map(([key, { tools, ...rest }]) => [
        key,
        {
          ...rest,
          tools: tools.filter((_, i) => !paths.has(`/capability_mappings/${key}/tools/${i}`)),
        },
      ]),
    ),
  }
}

describe('every warning', () => {
  it('is about a part that can be removed without effect, alone or with all other reported parts', () => {
    fc.assert(
      fc.property(policy, card, fc.array(call, { minLength: 5 }), (of, held, calls) => {
        const paths = lintPolicy(policyOf(of)).map(({ path }) => path)
        const sets = [...paths.map((path) => new Set([path])), new Set(paths)]
        const before = verdicts(of, held, calls)
        for (const set of sets) expect(verdicts(without(of, set), held, calls)).toEqual(before)
      }),
      runs(300),
    )
  })

  it('suggests what to do', () => {
    const all = lintPolicy(
      policyOf({
        forbidden: [rule('a*'), rule('*')],
        capability_mappings: { a: mapping(['b*', 'b?', 'c*']), b: mapping(['c?']) },
        escalation_triggers: [trigger('hour > 23')],
      }),
    )
    expect(all.map(({ code }) => code)).toEqual([
      'shadowed_rule',
      'redundant_tool',
      'shadowed_tool',
      'unreachable_trigger',
    ])
    for (const { message } of all) expect(message).toMatch(/; (remove|correct)/)
  })

  it('is part of the validation result', () => {
    const outcome = validatePolicy(policyOf({ forbidden: [rule('a*'), rule('*')] }))
    expect(outcome).toMatchObject({ valid: true, warnings: [{ code: 'shadowed_rule' }] })
  })

  it('is absent for realistic documents', () => {
    for (const document of Object.values(VECTORS.fixtures.policies)) {
      expect(lintPolicy(policyOf(document))).toEqual([])
    }
  })
})
