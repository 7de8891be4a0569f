import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { type ConditionFacts, judgeCondition, parseCondition, toNumber } from './condition.ts'

const FACTS: ConditionFacts = {
  action: {
    type: 'execute',
    name: 'purchase',
    category: 'bounded',
    parameters: { sku: 'a-1', amount: 7, deep: { er: 'x' } },
  },
  context: {
    locale: 'en',
    metadata: { amount: 150, pii: true, tags: ['vip', 3, null], empty: '', zero: 0, nothing: null },
  },
}

describe('the examples of spec: evidence §2.4', () => {
  it.each([
    ['amount > 100', 'fired'],
    ['amount > 100 and locale == "de"', 'quiet'],
    ['pii', 'fired'],
    ['missing != 3', 'quiet'],
    ['action_type == "purchase"', 'fired'],
  ])('%s is %s', (text, outcome) => {
    expect(judgeCondition(text, FACTS)).toBe(outcome)
  })
})

describe('a condition', () => {
  it.each([
    ['action_type == "execute"', true],
    ['action_type != "purchase"', false],
    ['action_type != "recommend"', true],
    ['action_name == "execute"', false],
    ['action_category == "bounded"', true],
    ['amount >= 150', true],
    ['amount <= 149.5', false],
    ['amount < 1.5e2', false],
    ['amount == 150', true],
    ['amount == "150"', false],
    ['amount != 150', false],
    ['amount > "100"', true],
    ['locale > 1', false],
    ['pii > 0', false],
    ['amount>100and', false],
    ["locale == 'en'", true],
    ['sku == "a-1"', true],
    ['deep.er == "x"', true],
    ['metadata.amount == 150', true],
    ['contains(locale, "e")', true],
    ['contains(tags, "vip")', true],
    ['contains(tags, 3)', true],
    ['contains(tags, "3")', false],
    ['contains(tags, null)', true],
    ['contains(amount, 1)', false],
    ['contains(missing, "x")', false],
    ['nothing == null', true],
    ['missing == null', false],
    ['empty', false],
    ['zero', false],
    ['zero or pii', true],
    ['zero and pii or amount > 1', true],
    ['amount > 1 or zero and zero', true],
    ['  pii  ', true],
  ])('%s: %s', (text, fires) => {
    expect(judgeCondition(text, FACTS) === 'fired').toBe(fires)
  })

  it('resolves a field from context, metadata, then parameters', () => {
    const facts = (metadata: object) => ({
      action: { type: 'execute', name: 'pay', category: 'bounded', parameters: { amount: 1 } },
      context: { metadata },
    })
    expect(judgeCondition('amount == 1', facts({}))).toBe('fired')
    expect(judgeCondition('amount == 1', facts({ amount: null }))).toBe('quiet')
  })

  it('escapes quotes and backslashes', () => {
    const context = { said: 'a "b" \\ c', path: 'C:\\new' }
    expect(judgeCondition('said == "a \\"b\\" \\\\ c"', { context })).toBe('fired')
    expect(judgeCondition('path == "C:\\new"', { context })).toBe('fired')
  })

  it('treats action fields as missing if there is no action', () => {
    expect(judgeCondition('action_type != "x"', { context: { action_type: 'y' } })).toBe('quiet')
  })
})

describe('a condition that cannot be parsed', () => {
  it.each([
    '',
    '   ',
    'amount >',
    '> 3',
    'amount > 3 and',
    'or amount',
    'amount = 3',
    'amount > limit',
    'amount 3',
    'a b',
    '(amount > 3)',
    'contains(amount)',
    'contains("x", amount)',
    'exists(amount)',
    'true',
    '"text"',
    'a == "open',
    'a == 1e999',
    'a. == 1',
    '.a',
    'a..b',
    'a == 1 ; b',
    'and == 1',
    'contains(or, 1)',
    `a == "${'x'.repeat(400)}"`,
  ])('%s', (text) => {
    expect(parseCondition(text)).toBeUndefined()
    expect(judgeCondition(text, FACTS)).toBe('unevaluable')
  })
})

describe('hostile conditions', () => {
  const scrap = fc.constantFrom(
    'amount',
    'and',
    'or',
    'contains',
    '(',
    ')',
    ',',
    '"a"',
    "'",
    '"',
    '\\',
    '.',
    '3',
    '-',
    '==',
    '!=',
    '>',
    '>=',
    '=',
    ' ',
    '\n',
    'true',
    'null',
    '__proto__',
    'constructor',
    '\u{1f600}',
  )
  const scraps = fc.array(scrap, { maxLength: 40 }).map((parts) => parts.join(''))

  it('never throw and never take long', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 500 }), scraps), (text) => {
        expect(['fired', 'quiet', 'unevaluable']).toContain(judgeCondition(text, FACTS))
      }),
      runs(3000),
    )
  })

  it('see own properties only, never inherited ones', () => {
    const facts = { context: { metadata: {}, list: [1] } }
    for (const field of ['__proto__', 'constructor', 'toString', 'metadata.constructor.name']) {
      expect(judgeCondition(field, facts)).toBe('quiet')
    }
    expect(judgeCondition('list.length > 0', facts)).toBe('quiet')
  })

  it('are read in linear time, however long they are', () => {
    for (const part of ['a.', '"\\', 'a and ', '- ', ' ', '(', '1e']) {
      expect(parseCondition(part.repeat(200_000 / part.length))).toBeUndefined()
      parseCondition(part.repeat(Math.floor(400 / part.length)))
    }
  })

  it('agree with the logical meaning of their parts', () => {
    const fact = fc.record({ a: fc.integer(), b: fc.boolean() })
    fc.assert(
      fc.property(fact, fc.integer(), (metadata, limit) => {
        const facts = { context: { metadata } }
        const fires = (text: string) => judgeCondition(text, facts) === 'fired'
        expect(fires(`a > ${limit} and b`)).toBe(metadata.a > limit && metadata.b)
        expect(fires(`a <= ${limit} or b`)).toBe(metadata.a <= limit || metadata.b)
        expect(fires(`a == ${limit}`)).toBe(!fires(`a != ${limit}`))
      }),
    )
  })
})

describe('toNumber', () => {
  it.each([
    ['150', 150],
    ['-1.5e2', -150],
    [3, 3],
    ['', undefined],
    [' 1', undefined],
    ['0x10', undefined],
    ['1e999', Number.POSITIVE_INFINITY],
    [Number.NaN, undefined],
    [true, undefined],
    [null, undefined],
  ])('%o is %o', (value, number) => {
    expect(toNumber(value)).toBe(number)
  })
})
