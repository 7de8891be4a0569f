import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import type { ConditionEnvironment } from './condition-names.ts'
import { conditionKey } from './condition-syntax.ts'
import { VECTORS } from './policy.fixture.ts'
import { readPolicyCondition } from './policy-condition.ts'

const ENVIRONMENT: ConditionEnvironment = VECTORS.condition_environment

function holds(text: string, environment = ENVIRONMENT): boolean {
  const reading = readPolicyCondition(text)
  if (!reading.valid) throw new Error(reading.reason)
  return reading.condition.holds(environment)
}

describe('a valid condition', () => {
  it.each([
    ['tool_count == 4', true],
    ['tool_count != 4', false],
    ['tool_count < 4.5', true],
    ['tool_count > -1', true],
    ['tool contains "refund"', true],
    ["tool matches '*__refund'", true],
    ['tool matches args.to', false],
    ['args.to matches "*@example.org"', true],
    ['args.nested.path == "/etc/passwd"', true],
    ['args.nested.path.deeper == "x"', false],
    ['args.nested == args.nested', false],
    ['args.tags contains args.to', false],
    ['"vip eu" contains args.to', false],
    ['args.amount contains 5', false],
    ['args.flag', true],
    ['args.flag == true', true],
    ['args.flag != "true"', false],
    ['args.missing != 1', false],
    ['not args.missing', true],
    ['not not args.flag', true],
    ['not not not args.flag', false],
    ['true and tool_mapped', true],
    ['not tool_new and not (tool_forbidden or in_transaction)', true],
    ['tool_mapped or tool_new and tool_new', true],
    ["tool=='mcp__payment__refund'", true],
    ['\ttool_mapped\n', true],
  ])('%s: %s', (text, value) => {
    expect(holds(text)).toBe(value)
  })

  it('escapes quotes and backslashes, and nothing else', () => {
    const environment = { ...ENVIRONMENT, args: { said: 'a"b\'c\\d' } }
    expect(holds(String.raw`args.said == "a\"b\'c\\d"`, environment)).toBe(true)
    expect(readPolicyCondition(String.raw`tool == "a\n"`)).toMatchObject({ valid: false })
  })

  it('reads own properties of the arguments only', () => {
    for (const name of ['args.constructor', 'args.__proto__.x', 'args.tags.length']) {
      expect(holds(`${name} != "x"`)).toBe(false)
      expect(holds(`${name} == 2`)).toBe(false)
    }
  })

  it('treats every argument as missing if a call has none', () => {
    const { args: _, ...environment } = VECTORS.condition_environment as ConditionEnvironment
    expect(holds('args.amount >= 500', environment)).toBe(false)
  })
})

describe('an invalid condition', () => {
  it.each([
    'true',
    '(true)',
    '3',
    "'x'",
    'tool_count',
    'not tool',
    'tool == 3',
    'tool_mapped == "true"',
    'tool_count contains 4',
    'tool contains 4',
    'tool_count matches "4"',
    'tool matches args',
    'args == 1',
    'args. == 1',
    'TOOL_MAPPED',
    'tool_mapped AND tool_new',
    'tool_mapped or',
    'or tool_mapped',
    'tool_mapped tool_new',
    'tool_matches',
    'tool_matches tool',
    'tool_matches(tool)',
    'tool_matches(3)',
    "tool_matches('a b')",
    "tool_matches('a'",
    "tool == tool_matches('a')",
    '()',
    ')',
    'tool_count = 4',
    'tool_count > 4.',
    'tool_count > .5',
    'tool_count > 1e3',
    'tool == null',
    'context.metadata == "x"',
  ])('%s', (text) => {
    expect(readPolicyCondition(text)).toMatchObject({ valid: false, reason: expect.any(String) })
  })

  it('has more than 500 characters, counted as characters', () => {
    const padded = (length: number) => `tool == '${'🔧'.repeat(length - 10)}'`
    expect(readPolicyCondition(padded(500))).toMatchObject({ valid: true })
    expect(readPolicyCondition(padded(501))).toMatchObject({ valid: false })
  })

  it('has more than 20 nested parentheses', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}tool_mapped${')'.repeat(depth)}`
    expect(readPolicyCondition(nested(20))).toMatchObject({ valid: true })
    expect(readPolicyCondition(nested(21))).toMatchObject({ valid: false })
  })
})

describe('a pattern from the arguments of a call', () => {
  it('has up to 256 characters, and matches nothing if it is longer', () => {
    const fits = (pattern: string) =>
      holds('args.text matches args.pattern', { ...ENVIRONMENT, args: { text: 'a', pattern } })
    expect(fits(`${'*'.repeat(255)}a`)).toBe(true)
    expect(fits(`${'*'.repeat(256)}a`)).toBe(false)
    expect(fits('*'.repeat(100_000))).toBe(false)
  })
})

describe('the subject of a condition', () => {
  it.each([
    ['tool_count > 3', false],
    ["context == 'audit' and hour > 18 or in_transaction", false],
    ['tool_count > 3 and not tool_new', true],
    ["'x' == server", true],
    ["tool_matches('x')", true],
    ['(args.x)', true],
  ])('%s: per tool is %s', (text, perTool) => {
    expect(readPolicyCondition(text)).toMatchObject({ valid: true, condition: { perTool } })
  })
})

describe('reading a condition', () => {
  const word = fc.constantFrom(
    'tool',
    'tool_count',
    'args.x',
    'tool_mapped',
    'and',
    'or',
    'not',
    '(',
    ')',
    '==',
    '>',
    'contains',
    'matches',
    "'a'",
    '3',
    'true',
    "tool_matches('a*')",
    ' ',
    '"',
    "'",
    '\\',
    'é',
  )
  const text = fc.oneof(
    fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
    fc.array(word, { maxLength: 200 }).map((words) => words.join('')),
    fc.string({ unit: 'binary', maxLength: 600 }),
  )

  it('never throws, and accepted conditions can be evaluated', () => {
    fc.assert(
      fc.property(text, (condition) => {
        const reading = readPolicyCondition(condition)
        if (reading.valid) expect(reading.condition.holds(ENVIRONMENT)).toBeTypeOf('boolean')
      }),
      runs(3000),
    )
  })

  it('gives the same result with any white space between the words', () => {
    const term = fc.constantFrom(
      ['tool_mapped'],
      ['not', 'tool_new'],
      ['tool_count', '>=', '4'],
      ['args.to', 'contains', "'a  b'"],
      ['(', 'hour', '<', '12', 'or', 'in_transaction', ')'],
    )
    const words = fc
      .tuple(term, fc.array(fc.tuple(fc.constantFrom('and', 'or'), term)))
      .map(([first, others]) => [first, others].flat(3))
    const spaces = fc.infiniteStream(fc.constantFrom(' ', '\n', '\t  '))
    fc.assert(
      fc.property(words, spaces, (narrow, space) => {
        const wide = narrow.map((w) => w + space.next().value).join('')
        expect(holds(wide)).toBe(holds(narrow.join(' ')))
        expect(conditionKey(wide)).toBe(narrow.join(' '))
      }),
    )
  })
})

describe('conditionKey', () => {
  it('collapses white space between words, not inside quotes', () => {
    expect(conditionKey("  tool  ==\n'a  b' ")).toBe("tool == 'a  b'")
    expect(conditionKey("tool == 'a b'")).not.toBe(conditionKey("tool == 'a  b'"))
  })
})
