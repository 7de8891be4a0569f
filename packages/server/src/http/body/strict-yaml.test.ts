import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { parseStrictYaml, YAML_BYTES_MAX } from './strict-yaml.ts'

const parse = (text: string) => parseStrictYaml(Buffer.from(text))
const reasonFor = (text: string): string => {
  const result = parse(text)
  return result.ok ? 'accepted' : result.reason
}
const filled = (piece: string): string =>
  piece.repeat(Math.floor(YAML_BYTES_MAX / Buffer.byteLength(piece)))

describe('parseStrictYaml', () => {
  it.each([
    ['a: 1\nb: [x, "y", null]\n', { a: 1, b: ['x', 'y', null] }],
    ['%YAML 1.2\n---\nmode: off\nyes: no\n...\n', { mode: 'off', yes: 'no' }],
    ['"1": one\n? b\n: c\nd:\n', { '1': 'one', b: 'c', d: null }],
    [
      'text: |\n  two\n  lines\nfolded: >-\n  one\n  line # no comment\n',
      {
        text: 'two\nlines\n',
        folded: 'one line # no comment',
      },
    ],
    ['\ufeffa: "é" # comment\n', { a: 'é' }],
    ['<<: {a: 1}\n', { '<<': { a: 1 } }],
    ['[a: b, c]', [{ a: 'b' }, 'c']],
  ])('parses %j', (text, value) => {
    expect(parse(text)).toEqual({ ok: true, value })
  })

  it('parses the YAML of every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value))
        const result = parse(stringify(json))
        // Values that are invalid in a JSON body, such as NUL, are rejected here too.
        if (result.ok) expect(result.value).toEqual(json)
        else expect(result.reason).toMatch(/NUL|surrogate/)
      }),
    )
  })

  it.each([
    ['', 'YAML must be exactly one document'],
    ['# nothing\n', 'YAML must be exactly one document'],
    ['a: 1\n---\nb: 2\n', 'YAML must be exactly one document'],
    ['a: 1\n...\nb: 2\n', 'YAML must be exactly one document'],
    ['%YAML 1.1\n---\na: off\n', 'directives are not accepted, except %YAML 1.2'],
    ['%TAG ! tag:example.com,2026:\n---\na: 1\n', 'directives are not accepted, except %YAML 1.2'],
    ['a: &x [1]\n', 'anchors and aliases are not accepted'],
    ['a: *x\n', 'anchors and aliases are not accepted'],
    ['a: !!str 1\n', 'tags are not accepted'],
    ['a: ! 1\n', 'tags are not accepted'],
    ['a: .inf\n', 'a number must be finite'],
    ['a: [-.Inf]\n', 'a number must be finite'],
    ['a: .NaN\n', 'a number must be finite'],
    ['a: 1\nb: 2\na: 3\n', 'duplicate key in a map'],
    ['{a: 1, "a": 2}', 'duplicate key in a map'],
    ['{1: 1}', 'a key must be a string'],
    ['{true: 1}', 'a key must be a string'],
    ['{~: 1}', 'a key must be a string'],
    ['{: 1}', 'a key must be a string'],
    ['{[a]: 1}', 'a key must be a string'],
    ['? {a: 1}\n: 1\n', 'a key must be a string'],
    ['"\\0"', 'NUL character at the root'],
  ])('rejects %j', (text, reason) => {
    expect(reasonFor(text)).toBe(reason)
  })

  it('reports the line of a syntax error or a structural error', () => {
    expect(reasonFor('a: 1\nb: [1\n')).toMatch(/^line \d: /)
    expect(reasonFor('a: 1\n]\n')).toMatch(/^line 2: /)
  })

  it('rejects bytes that are not UTF-8', () => {
    const result = parseStrictYaml(Buffer.from([0x61, 0x3a, 0x20, 0xff]))
    expect(result).toEqual({ ok: false, reason: 'not valid UTF-8' })
  })

  it('accepts 16 levels and rejects 17, for every kind of nesting', () => {
    const flow = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    const list = (depth: number) => `${'- '.repeat(depth)}a`
    const map = (depth: number) =>
      Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:\n`).join('')
    const braces = (depth: number) => '{a: '.repeat(depth) + '}'.repeat(depth)
    for (const nest of [flow, list, map, braces]) {
      expect(parse(nest(16)).ok, nest(16)).toBe(true)
      expect(reasonFor(nest(17)), nest(17)).toBe('nested deeper than 16 levels')
    }
  })

  it('accepts 20,000 nodes and rejects more, including keys and empty nodes', () => {
    const list = (items: number) => '- a\n'.repeat(items)
    const empty = (items: number) => '-\n'.repeat(items)
    const flow = (items: number) => `[${'a,'.repeat(items)}]`
    for (const write of [list, empty, flow]) {
      expect(parse(write(19_999)).ok).toBe(true)
      expect(reasonFor(write(20_000))).toBe('more than 20000 nodes')
    }
    const map = (pairs: number) => Array.from({ length: pairs }, (_, n) => `k${n}: 1\n`).join('')
    expect(parse(map(9_999)).ok).toBe(true)
    expect(reasonFor(map(10_000))).toBe('more than 20000 nodes')
  })

  it('accepts 50,000 lines and rejects more, including empty lines', () => {
    expect(parse(`${'\n'.repeat(49_999)}a: 1`).ok).toBe(true)
    expect(reasonFor(`${'\n'.repeat(50_000)}a: 1`)).toBe('more than 50000 lines')
  })

  it.each([
    '- ',
    '? ',
    ': ',
    '[',
    '{',
    ']',
    '[a,',
    '{a: ',
    'a: ',
    '"a": ',
    '&a ',
    '*a ',
    '!a ',
    '---\n',
    '...\n',
    '%x\n',
    '? - ',
    '"',
    '"\\',
  ])('rejects a long repetition of %j in finite time', (piece) => {
    expect(parse(filled(piece)).ok).toBe(false)
  })
})
