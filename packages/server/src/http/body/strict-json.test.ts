import { canonicalJson, JSON_LIMITS } from '@touchstone/protocol/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { parseStrictJson } from './strict-json.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text))
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('parseStrictJson', () => {
  it.each([
    ['', 'empty'],
    ['  \n', 'not valid JSON: Unexpected end of JSON input'],
    ['{"a":tru}', 'not valid JSON: unexpected "}"'],
    ['{"a":1,}', 'not valid JSON: Expected double-quoted property name in JSON at position 7'],
    ['\ufeff{}', 'not valid JSON: unexpected "\ufeff"'],
    ['{"a":1,"a":1}', 'duplicate key "a" at the root'],
    ['{"b":[{"a":1,"c":{},"a":2}]}', 'duplicate key "a" at /b/0'],
    ['{"a":1,"\\u0061":2}', 'duplicate key "a" at the root'],
    ['{"x/y":{"~":[0,{"":1,"":2}]}}', 'duplicate key "" at /x~1y/~0/1'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate key "__proto__" at the root'],
    ['[{"1":0} , {"1" :0, "1"\n:0}]', 'duplicate key "1" at /1'],
    ['{"a":{"b":1,"b":1},"a":2}', 'duplicate key "b" at /a'],
    ['{"a":"x\\u0000"}', 'NUL character at /a'],
    ['["ok","\\\\\\u0000"]', 'NUL character at /1'],
    ['{"o":{"\\u0000":1}}', 'NUL character in a key at /o'],
    ['["\\ud800"]', 'lone surrogate at /0'],
    ['["\\uDC00\\uD800"]', 'lone surrogate at /0'],
    ['{"\\ud83dx":1}', 'lone surrogate in a key at the root'],
    ['{"n":[1,-1e400]}', 'number out of range at /n/1'],
    [nested(33), `nested deeper than 32 levels at ${'/0'.repeat(32)}`],
    [`{"a":${nested(40)},"a":1}`, `nested deeper than 32 levels at /a${'/0'.repeat(31)}`],
  ])('rejects %j with the reason', (text, reason) => {
    expect(parse(text)).toEqual({ ok: false, reason })
  })

  it.each([
    ['{}'],
    ['0'],
    ['null'],
    ['"\\\\u0000"'],
    ['"\\\\ud800"'],
    ['"\\ud83d\\ude00"'],
    ['"a\\":\\""'],
    ['{"\\\\":"\\\\\\"","b":"\\\\"}'],
    ['{"a":":","b" : "\\":" , "c":["x:",":"]}'],
    ['[{"a":1},{"a":1},{"a":{"a":1}}]'],
    ['{"a":1,"A":1,"a ":1,"é":1,"e\u0301":1}'],
    ['1e308'],
    ['1e-400'],
    [nested(32)],
  ])('parses %s like JSON.parse', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  it.each([
    ['a stray continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xe2, 0x82]],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00]],
  ])('rejects %s', (_, bytes) => {
    expect(parseStrictJson(Buffer.from(bytes))).toEqual({ ok: false, reason: 'not valid UTF-8' })
  })

  it('parses escaped keys correctly after texts that trigger the bug of JSON.parse', () => {
    parse('{"\\u0009":1,"":2,"\\\\":3}')
    expect(parse('{"\\u0009":1,"":2,"\\u0009":3}').ok).toBe(false)
    expect(parse('{"\\u0009":1,"":2,"\\n":{"\\"":[]}}')).toEqual({
      ok: true,
      value: { '\t': 1, '': 2, '\n': { '"': [] } },
    })
  })

  it('rejects a raw NUL', () => {
    expect(parse('"\0"').ok).toBe(false)
    expect(parse('{}\0').ok).toBe(false)
  })
})

describe('hostile body', () => {
  it('cannot change a prototype, and keeps its __proto__ key as data', () => {
    const body = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}'
    const result = parse(body)
    const value = result.ok ? result.value : undefined
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(value).not.toHaveProperty('admin')
    expect({}).not.toHaveProperty('admin')
    expect(canonicalJson(value)).toBe(body)
  })

  it('gets a short reason without control characters for any key', () => {
    const key = `"${'\\u0007\\ud83d\\ude00'.repeat(5000)}"`
    for (const text of [`{${key}:1,${key}:2}`, `{${key}:{${key}:"\\u0000"}}`, `${key}x`]) {
      const result = parse(text)
      expect(result.ok).toBe(false)
      const reason = result.ok ? '' : result.reason
      expect(reason.length).toBeLessThan(500)
      expect(reason).not.toMatch(/\p{Cc}|\p{Surrogate}/u)
    }
  })

  it('is not quoted in the message of a syntax error', () => {
    const result = parse('{"password":"hunter2", oops')
    expect(result.ok ? '' : result.reason).not.toContain('hunter2')
  })

  it('is refused for its depth or its number of values before it is parsed', () => {
    const limits = { depthMax: 4, valuesMax: 20 }
    const reasonOf = (text: string) => {
      const result = parseStrictJson(Buffer.from(text), limits)
      return result.ok ? undefined : result.reason
    }
    expect(reasonOf('[[[[[ no JSON')).toBe('nested deeper than 4 levels at /0/0/0/0')
    expect(reasonOf('"\\q"[[[[[ no JSON')).toBe('nested deeper than 4 levels')
    expect(reasonOf(`[${'0,'.repeat(20)}no JSON`)).toBe('more than 20 values')
    expect(reasonOf(`{"a":1,"b":["[{,",{},[],${'[ ],'.repeat(12)}{"c":0}]}`)).toBeUndefined()
    expect(reasonOf(`{"a":1,"b":["[{,",{},[],${'[ ],'.repeat(13)}{"c":0}]}`)).toBe(
      'more than 20 values',
    )
    expect(reasonOf('{"\\u0061":1}')).toBeUndefined()
    expect(reasonOf('{"\\u0061":1,"\\u0062":2}')).toBe('more than 20 values')
  })

  it('is parsed in linear time; more would exceed the timeout of the test', () => {
    const n = 100_000
    const refused = [
      `{${Array.from({ length: n }, (_, i) => `"k${i}":0`).join()},"k0":0}`,
      `{"a"${' '.repeat(n * 10)}:1,"a":1}`,
      `["${'\\\\'.repeat(n * 5)}","\\u0000"]`,
      nested(n * 5),
    ]
    for (const text of refused) expect(parse(text).ok).toBe(false)
    expect(parse(`"${'\\"'.repeat(n * 5)}"`).ok).toBe(true)
  })
})

type Member = [key: string, value: Tree]
type Tree = string | number | boolean | null | { items: Tree[] } | { members: Member[] }

/** A small alphabet, so that duplicate keys and bad characters are frequent. */
const letters = fc.constantFrom('a', 'b', ':', '"', '\\', ' ', '{', ']', 'é', '\u{1f600}', '\t')
const rare = fc.constantFrom('\0', '\ud83d', '\ude00')
const word = fc.string({
  unit: fc.oneof({ weight: 40, arbitrary: letters }, { weight: 1, arbitrary: rare }),
  maxLength: 3,
})
const tree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6 },
    word,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0), // JSON has no minus zero
    fc.constantFrom(true, false, null),
    fc.record({ items: fc.array(tie('tree'), { maxLength: 4 }) }),
    fc.record({ members: fc.array(fc.tuple(word, tie('tree')), { maxLength: 4 }) }),
  ),
})).tree

/** Serialises a tree, including duplicate keys, with the given whitespace and escapes. */
function write(node: Tree, style: { space: string; escaped: boolean }): string {
  const { space, escaped } = style
  const quote = (text: string) => {
    if (!escaped) return JSON.stringify(text)
    const units = text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
    return `"${units.map((hex) => `\\u${hex}`).join('')}"`
  }
  if (typeof node === 'string') return quote(node)
  if (typeof node !== 'object' || node === null) return JSON.stringify(node)
  if ('items' in node) return `[${space}${node.items.map((item) => write(item, style)).join()}]`
  const pairs = node.members.map(([key, value]) => {
    return `${space}${quote(key)}${space}:${space}${write(value, style)}`
  })
  return `{${pairs.join(`${space},`)}${space}}`
}

/** The value of a tree. */
function plain(node: Tree): unknown {
  if (typeof node !== 'object' || node === null) return node
  if ('items' in node) return node.items.map(plain)
  return Object.fromEntries(node.members.map(([key, value]) => [key, plain(value)]))
}

/** The simplest implementation of the rules, as a reference. */
function defects(node: Tree, depth = 1): string[] {
  const inText = (text: string) => [
    ...(text.includes('\0') ? ['NUL character'] : []),
    ...(/\p{Surrogate}/u.test(text) ? ['lone surrogate'] : []),
  ]
  if (typeof node === 'string') return inText(node)
  if (typeof node !== 'object' || node === null) return []
  const tooDeep = depth > 4 ? ['nested deeper than 4 levels'] : []
  if ('items' in node)
    return [...tooDeep, ...node.items.flatMap((item) => defects(item, depth + 1))]
  const keys = node.members.map(([key]) => key)
  return [
    ...tooDeep,
    ...(new Set(keys).size < keys.length ? ['duplicate key'] : []),
    ...node.members.flatMap(([key, value]) => [...inText(key), ...defects(value, depth + 1)]),
  ]
}

describe('parseStrictJson of any document', () => {
  it('returns the serialised value, or the first defect if there is one', () => {
    const style = fc.record({ space: fc.constantFrom('', ' ', '\n\t'), escaped: fc.boolean() })
    fc.assert(
      fc.property(tree, style, (node, how) => {
        const text = write(node, how)
        const result = parseStrictJson(Buffer.from(text), { ...JSON_LIMITS, depthMax: 4 })
        const expected = defects(node)
        if (expected.length === 0) expect(result).toEqual({ ok: true, value: plain(node) })
        else
          expect(expected.some((cause) => !result.ok && result.reason.startsWith(cause))).toBe(true)
      }),
      runs(2000),
    )
  })

  it('never throws, and accepts only what JSON.parse accepts', () => {
    const json = fc.json({ noUnicodeString: false })
    const broken = fc
      .tuple(json, fc.nat(), fc.constantFrom('"', '\\', '{', '\\u0000', ',', ' ', ''))
      .map(([text, at, piece]) => {
        const cut = at % (text.length + 1)
        return text.slice(0, cut) + piece + text.slice(cut + 1)
      })
    fc.assert(
      fc.property(fc.oneof(broken, fc.string({ unit: 'binary' })), (text) => {
        // Decoded from bytes, because the cut may have left a lone surrogate.
        const bytes = Buffer.from(text)
        const result = parseStrictJson(bytes)
        if (result.ok) expect(result.value).toEqual(JSON.parse(bytes.toString()))
        else expect(result.reason).not.toBe('')
      }),
      runs(1000),
    )
  })
})

describe('integers, where they have to be exact', () => {
  const exactly = (text: string) =>
    parseStrictJson(Buffer.from(text), { ...JSON_LIMITS, exactIntegers: true })
  const WHY = 'would be rounded; send it as text'

  it.each([
    ['[9007199254740993]', `9007199254740993 at /0 ${WHY}`],
    ['{"a":[1,-9007199254740993]}', `-9007199254740993 at /a/1 ${WHY}`],
    ['{"a":9007199254740993.0}', `9007199254740993.0 at /a ${WHY}`],
    ['{"a":900719925474099.3E+1}', `900719925474099.3E+1 at /a ${WHY}`],
    ['{"a":602000000000000000000001}', `602000000000000000000001 at /a ${WHY}`],
    [`{"a":${'1'.repeat(300)}}`, `${'1'.repeat(63)}… at /a ${WHY}`],
  ])('rejects %j with the reason', (text, reason) => {
    expect(exactly(text)).toEqual({ ok: false, reason })
    expect(parse(text)).toMatchObject({ ok: true })
  })

  it.each([
    '[9007199254740991,9007199254740992,-9007199254740992]',
    '[6.02e23,602000000000000000000000,0.602E+24,1e300,1e21,100e-1,0e99,-0.0]',
    '[0.1000000000000000055,3.14159265358979323846]',
    '{"9007199254740993":"9007199254740993","a":"1e5 \\" 9007199254740993"}',
  ])('accepts %j', (text) => {
    expect(exactly(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  it('with the same double are the same number, however they are written', () => {
    const integer = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).filter((one) => one !== 0n)
    const zeros = fc.integer({ min: 0, max: 9 })
    fc.assert(
      fc.property(integer, zeros, (number, count) => {
        const written = [`${number}`, `${number}.0`, `${number}${'0'.repeat(count)}e-${count}`]
        const accepted = written.map((text) => exactly(`[${text}]`).ok)
        const isShortest = decimal(String(Number(number))) === number
        const isAccepted = isShortest || Number.isSafeInteger(Number(number))
        expect(accepted).toEqual([isAccepted, isAccepted, isAccepted])
      }),
      runs(3000),
    )
  })

  it('take linear time', () => {
    const started = performance.now()
    exactly(`[${'0'.repeat(1)}.${'0'.repeat(1_000_000)}1e9,9007199254740993${'0'.repeat(290)}]`)
    // A quadratic time would be minutes.
    expect(performance.now() - started).toBeLessThan(30_000)
  })
})

/** The integer that a decimal number with an exponent writes. */
function decimal(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.split('e+')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(Number(exponent) - fraction.length)
}
