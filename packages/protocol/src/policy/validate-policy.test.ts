import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { policyOf, VECTORS } from './policy.fixture.ts'
import { validatePolicy, validateTransactionPolicy } from './validate-policy.ts'

const META = { schema_version: '1.0', name: 'p', scope: 'agent' }
const MAPPING = { tools: ['a'], card_actions: ['read'] }
const RULE = { pattern: 'x', reason: 'r', severity: 'high' }
const SEVERE = { severity: 'high' } as const
const TRIGGER = { condition: 'tool_new', action: 'warn', reason: 'r' }

const found = (document: object, context = {}) =>
  validatePolicy({ meta: META, ...document }, context).errors.map(({ path, code }) => [path, code])
const warned = (document: object, context: object) =>
  validatePolicy({ meta: META, ...document }, context).warnings.map(({ path, code }) => [
    path,
    code,
  ])
const many = <Item>(count: number, item: (i: number) => Item) =>
  Array.from({ length: count }, (_, i) => item(i))

describe('the shape of a policy', () => {
  it.each<[string, object, [string, string][]]>([
    ['no document', [], [['', 'type']]],
    [
      'two faults together',
      { meta: { ...META, scope: 'x', name: 1 } },
      [
        ['/meta/name', 'type'],
        ['/meta/scope', 'enum'],
      ],
    ],
    [
      'version 1 without a minor version',
      { meta: { ...META, schema_version: '1' } },
      [['/meta/schema_version', 'pattern']],
    ],
    ['a blank name', { meta: { ...META, name: '  ' } }, [['/meta/name', 'required']]],
    ['a long name', { meta: { ...META, name: 'x'.repeat(121) } }, [['/meta/name', 'too_large']]],
    [
      'a long description',
      { meta: { ...META, description: 'x'.repeat(1001) } },
      [['/meta/description', 'too_large']],
    ],
    ['an unknown section', { rules: [] }, [['/rules', 'unknown_field']]],
    ['an unknown default', { defaults: { grace: 1 } }, [['/defaults/grace', 'unknown_field']]],
    ...['__proto__', '__defineGetter__', 'constructor', 'toString'].map(
      (name): [string, object, [string, string][]] => [
        `a default called ${name}`,
        { defaults: JSON.parse(`{"${name}": 1}`) },
        [[`/defaults/${name}`, 'unknown_field']],
      ],
    ),
    ['null for a section', { forbidden: null }, [['/forbidden', 'type']]],
    [
      'a name with a slash',
      { capability_mappings: { 'a/b': MAPPING } },
      [['/capability_mappings/a~1b', 'pattern']],
    ],
    [
      'no tools',
      { capability_mappings: { a: { ...MAPPING, tools: [] } } },
      [['/capability_mappings/a/tools', 'required']],
    ],
    [
      'an empty action',
      { capability_mappings: { a: { ...MAPPING, card_actions: [''] } } },
      [['/capability_mappings/a/card_actions/0', 'required']],
    ],
    [
      'a long pattern',
      { forbidden: [{ ...RULE, pattern: 'x'.repeat(257) }] },
      [['/forbidden/0/pattern', 'too_large']],
    ],
    [
      'a lone surrogate',
      { forbidden: [{ ...RULE, reason: '\ud800' }] },
      [['/forbidden/0/reason', 'pattern']],
    ],
    [
      'an unknown action',
      { escalation_triggers: [{ ...TRIGGER, action: 'log' }] },
      [['/escalation_triggers/0/action', 'enum']],
    ],
    [
      'a condition that is not a string',
      { escalation_triggers: [{ ...TRIGGER, condition: 3 }] },
      [['/escalation_triggers/0/condition', 'type']],
    ],
    [
      'grace of over a year',
      { defaults: { grace_period_hours: 8761 } },
      [['/defaults/grace_period_hours', 'too_large']],
    ],
    [
      'too many rules',
      { forbidden: many(501, (i) => ({ ...RULE, pattern: `x${i}` })) },
      [['/forbidden', 'too_large']],
    ],
    [
      'too many triggers',
      { escalation_triggers: many(101, () => TRIGGER) },
      [['/escalation_triggers', 'too_large']],
    ],
    [
      'too many capabilities',
      { capability_mappings: Object.fromEntries(many(201, (i) => [`c${i}`, MAPPING])) },
      [['/capability_mappings', 'too_large']],
    ],
  ])('rejects %s', (_what, document, faults) => {
    const input = Array.isArray(document) ? document : { meta: META, ...document }
    const outcome = validatePolicy(input)
    expect(outcome).toMatchObject({ valid: false, problem: 'invalid_request' })
    expect(outcome.errors.map(({ path, code }) => [path, code])).toEqual(faults)
  })

  it('accepts a document with the fields that the service added', () => {
    const stored = { id: 'pol-1', version: 3, created_at: 'x', updated_at: 'y', warnings: [] }
    const outcome = validatePolicy({ ...policyOf({}), ...stored })
    expect(outcome).toMatchObject({ valid: true, policy: policyOf({}) })
    expect(outcome).not.toHaveProperty('policy.id')
  })

  it('is returned with every section, trimmed, deduplicated, and with block for deny', () => {
    const tools = ['b', 'a', 'b']
    const outcome = validatePolicy({
      meta: { ...META, name: ' p ' },
      capability_mappings: { web: { tools, card_actions: ['x', 'x'] } },
      defaults: { unmapped_tool_action: 'deny' },
    })
    expect(outcome).toMatchObject({
      valid: true,
      policy: {
        meta: META,
        capability_mappings: { web: { tools: ['b', 'a'], card_actions: ['x'] } },
        forbidden: [],
        escalation_triggers: [],
        defaults: { unmapped_tool_action: 'block' },
      },
    })
  })

  it('is a fixed point: an accepted document is accepted again, unchanged', () => {
    for (const [name, document] of Object.entries(VECTORS.fixtures.policies)) {
      const once = validatePolicy(document)
      if (!once.valid) throw new Error(name)
      expect(validatePolicy(once.policy)).toMatchObject({ valid: true, policy: once.policy })
    }
  })

  it('never throws, whatever JSON it is given', () => {
    const sections = fc.record(
      {
        meta: fc.oneof(fc.constant(META), fc.jsonValue()),
        capability_mappings: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        forbidden: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
        escalation_triggers: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
        defaults: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(sections, fc.jsonValue()), (input) => {
        const outcome = validatePolicy(input)
        expect(outcome.valid).toBe(outcome.errors.length === 0)
      }),
    )
  })
})

describe('the meaning of a policy', () => {
  it('is checked completely once the shape is valid', () => {
    const outcome = validatePolicy(
      {
        meta: META,
        capability_mappings: { fs: { ...MAPPING, tools: ['x', 'y', 'xy'] } },
        forbidden: [
          { ...RULE, pattern: 'x*' },
          { ...RULE, pattern: 'x*' },
        ],
        escalation_triggers: [
          TRIGGER,
          { ...TRIGGER, condition: ' tool_new ' },
          { ...TRIGGER, condition: '' },
        ],
      },
      { scope: 'org' },
    )
    expect(outcome).toMatchObject({ valid: false, problem: 'validation_error' })
    expect(outcome.errors.map(({ path, code }) => [path, code])).toEqual([
      ['/meta/scope', 'scope_mismatch'],
      ['/forbidden/1/pattern', 'duplicate_rule'],
      ['/capability_mappings/fs/tools/0', 'conflicting_rules'],
      ['/capability_mappings/fs/tools/2', 'conflicting_rules'],
      ['/escalation_triggers/1/condition', 'conflicting_triggers'],
      ['/escalation_triggers/2/condition', 'invalid_condition'],
    ])
  })

  it('needs no particular scope if the path implies none', () => {
    expect(found({ meta: { ...META, scope: 'team' } })).toEqual([])
    expect(found({ meta: { ...META, scope: 'team' } }, { scope: 'team' })).toEqual([])
  })
})

describe('warnings', () => {
  const org = policyOf({
    forbidden: [
      { pattern: 'mcp__admin__*', reason: 'r', severity: 'high' },
      { pattern: 'web_*', reason: 'r', severity: 'medium' },
    ],
    defaults: { enforcement_mode: 'enforce', grace_period_hours: 4, fail_open: false },
  })

  it('name card actions that the card lacks', () => {
    const card = { autonomy_envelope: { bounded_actions: ['read'] } }
    const mapping = { tools: ['a'], card_actions: ['read', 'write'] }
    expect(warned({ capability_mappings: { fs: mapping } }, { card })).toEqual([
      ['/capability_mappings/fs/card_actions/1', 'unknown_card_action'],
    ])
    expect(warned({ capability_mappings: { fs: mapping } }, {})).toEqual([])
    const forbidding = {
      autonomy_envelope: { bounded_actions: ['read'], forbidden_actions: ['write'] },
    }
    const { warnings } = validatePolicy(policyOf({ capability_mappings: { fs: mapping } }), {
      card: forbidding,
    })
    expect(warnings[0]?.message).toContain('forbidden by the card')
  })

  it('name mappings that the organisation blocks, and only those', () => {
    const mapping = {
      tools: ['web_fetch', 'mcp__*__get', 'mcp__admin__list*'],
      card_actions: ['read'],
    }
    expect(warned({ capability_mappings: { a: mapping } }, { org })).toEqual([
      ['/capability_mappings/a/tools/2', 'shadowed_mapping'],
    ])
  })

  it('name defaults that the organisation overrides, not those that are as strict', () => {
    const defaults = { enforcement_mode: 'warn', grace_period_hours: 5, fail_open: false }
    expect(warned({ defaults }, { org })).toEqual([
      ['/defaults/enforcement_mode', 'ineffective_default'],
      ['/defaults/grace_period_hours', 'ineffective_default'],
    ])
  })
})

describe('the policy of a transaction', () => {
  it('needs no meta, and may have one of any scope', () => {
    expect(validateTransactionPolicy({})).toMatchObject({ valid: true, policy: { forbidden: [] } })
    expect(validateTransactionPolicy({ meta: { ...META, scope: 'org' } })).toMatchObject({
      valid: true,
    })
    expect(validateTransactionPolicy({ meta: {} })).toMatchObject({ problem: 'invalid_request' })
  })

  it('is checked for the same contradictions', () => {
    const policy = { forbidden: [RULE, RULE] }
    expect(validateTransactionPolicy(policy)).toMatchObject({ problem: 'validation_error' })
  })
})

describe('the cost of a validation', () => {
  /** The maximum number of rules, each tried at every letter of every tool, and none matching. */
  const word = (i: number) =>
    i.toString(2).padStart(12, '0').replaceAll('0', 'a').replaceAll('1', 'b')
  const hostile = (rules: number, capabilities: number) => ({
    meta: META,
    forbidden: many(rules, (i) => ({ ...RULE, pattern: `*?${word(i)}????????????z*` })),
    capability_mappings: Object.fromEntries(
      many(capabilities, (c) => [
        `c${c}`,
        { ...MAPPING, tools: many(200, (i) => `z${word(200 * c + i)}cccccccccccccc?`) },
      ]),
    ),
  })

  it('is limited: patterns that take too long to compare are rejected, and not checked partially', () => {
    const outcome = validatePolicy(hostile(500, 40))
    expect(outcome).toMatchObject({
      valid: false,
      problem: 'invalid_request',
      errors: [{ path: '/forbidden', code: 'too_large' }],
    })
  })

  it('does not limit the number of patterns that can be compared quickly', () => {
    const plain = (i: number) => ({ ...RULE, pattern: `*${word(i)}*_delete` })
    const policy = { ...hostile(0, 40), forbidden: many(500, plain) }
    expect(validatePolicy(policy)).toMatchObject({ valid: true })
    expect(validatePolicy(hostile(20, 2))).toMatchObject({ valid: true })
  })

  it('is reported if warnings are omitted because of it', () => {
    const { forbidden, ...document } = hostile(500, 40)
    const org = { ...policyOf({}), forbidden: forbidden.map((rule) => ({ ...rule, ...SEVERE })) }
    expect(warned(document, { org })).toContainEqual(['/capability_mappings', 'not_compared'])
  })

  it('stays small for long and deep conditions, each rejected for its actual fault', () => {
    const long = 10_000
    const conditions = [
      `${'('.repeat(long)}tool_new${')'.repeat(long)}`,
      `${'not '.repeat(long)}tool_new`,
      `tool_new${' '.repeat(long)}`,
      `tool == '${'\\'.repeat(long)}`,
      "'".repeat(long),
      'tool_new and '.repeat(long),
      '🔧'.repeat(long),
      `${'('.repeat(21)}tool_new${')'.repeat(21)}`,
    ]
    const triggers = conditions.map((condition) => ({ ...TRIGGER, condition }))
    expect(found({ escalation_triggers: triggers })).toEqual(
      conditions.map((_, i) => [`/escalation_triggers/${i}/condition`, 'invalid_condition']),
    )
  })

  it('stays small for patterns that consist of wildcards only', () => {
    const wild = (i: number) => `${'*?'.repeat(i % 100)}*${'*'.repeat(i % 7)}${'?'.repeat(i % 40)}a`
    const policy = {
      forbidden: many(500, (i) => ({ ...RULE, severity: 'low', pattern: `${wild(i)}${word(i)}` })),
      capability_mappings: Object.fromEntries(
        many(10, (c) => [`c${c}`, { ...MAPPING, tools: many(200, (i) => wild(i) + word(i)) }]),
      ),
    }
    expect(found(policy)).toEqual([])
  })
})
