import { describe, expect, it } from 'vitest'
import { testKey } from './logs.fixture.ts'
import { writeVkey } from './note-key.ts'
import { hasQuorum, parseTlogPolicy, type TlogPolicy, writeTlogPolicy } from './tlog-policy.ts'

const log = testKey('log.example/log', 'ed25519', 1).key
const keys = [11, 12, 13, 21, 22, 23].map((n) => testKey(`w${n}.example`, 'cosignature', n).key)
const [x1, x2, x3, y1, y2, y3] = keys.map(writeVkey)

/** The example of c2sp.org/tlog-policy. */
const EXAMPLE = `log ${writeVkey(log)}

witness X1 ${x1}
witness X2 ${x2} https://x2.example/
witness X3\t${x3}
group X-witnesses 2 X1 X2 X3

  # Of another organisation.
witness Y1 ${y1}
witness Y2 ${y2}
witness Y3 ${y3}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
\tquorum X-and-Y \t
`

function read(text: string): TlogPolicy {
  const policy = parseTlogPolicy(text)
  if (!policy.ok) throw new Error(policy.reason)
  return policy.value
}

describe('a trust policy', () => {
  it('is read with its groups, as in the example of tlog-policy', () => {
    const policy = read(EXAMPLE)
    expect(policy.logs).toEqual([{ key: log }])
    expect(policy.witnesses[1]).toEqual({ name: 'X2', key: keys[1], url: 'https://x2.example/' })
    expect(policy.groups.map(({ threshold }) => threshold)).toEqual([2, 1, 2])
    expect(policy.quorum).toBe('X-and-Y')
  })

  it.each([
    [[], false],
    [[0, 1], false],
    [[0, 3], false],
    [[0, 1, 3], true],
    [[1, 2, 5], true],
    [[3, 4, 5], false],
    [[0, 0, 3], false],
    [[0, 1, 2, 3, 4, 5], true],
  ])('judges the cosignatures %o as %s', (indices, expected) => {
    const cosigned = indices.flatMap((i) => keys[i] ?? [])
    expect(hasQuorum(read(EXAMPLE), cosigned)).toBe(expected)
  })

  it('does not count a key that only has the name of a witness', () => {
    const policy = read(`witness w ${x1}\nquorum w\n`)
    expect(hasQuorum(policy, keys.slice(0, 1))).toBe(true)
    expect(hasQuorum(policy, [testKey('w11.example', 'cosignature', 99).key])).toBe(false)
    expect(hasQuorum(policy, [testKey('w11.example', 'ed25519', 11).key])).toBe(false)
  })

  it('needs nobody with quorum none', () => {
    expect(hasQuorum(read('quorum none\n'), [])).toBe(true)
  })

  it('is written so that it reads the same', () => {
    const policy = read(EXAMPLE)
    const text = writeTlogPolicy(policy, ['a comment'])
    expect(text.startsWith(`# a comment\nlog ${writeVkey(log)}\nwitness X1 `)).toBe(true)
    expect(text.endsWith('\nquorum X-and-Y\n')).toBe(true)
    expect(read(text)).toEqual(policy)
  })

  it.each([
    ['', 'no quorum line'],
    [`log ${writeVkey(log)}\n`, 'no quorum line'],
    ['quorum none', 'line feed'],
    ['quorum none\nquorum none\n', 'line 2: there must be exactly one quorum line'],
    ['quorum a\n', 'line 1: a is not defined above'],
    [`quorum a\nwitness a ${x1}\n`, 'line 1: a is not defined above'],
    [`witness none ${x1}\nquorum none\n`, 'fixed meaning'],
    [`witness a ${x1}\nwitness a ${x2}\nquorum a\n`, 'line 2: the name a is already defined'],
    [`witness a ${x1}\nwitness b ${x1}\nquorum a\n`, 'line 2: this public key is already listed'],
    [`log ${writeVkey(log)}\nlog ${writeVkey(log)} u\nquorum none\n`, 'line 2: this public key'],
    [
      `witness a ${x1}\ngroup g 2 a\nquorum g\n`,
      'line 2: the threshold must be all, any or 1 to 1',
    ],
    [`witness a ${x1}\ngroup g 0 a\nquorum g\n`, 'the threshold'],
    [`witness a ${x1}\ngroup g 01 a\nquorum g\n`, 'the threshold'],
    [`witness a ${x1}\ngroup g any a a\nquorum g\n`, 'already a member'],
    [`witness a ${x1}\ngroup g any a\ngroup h any a\nquorum g\n`, 'line 3: a is already a member'],
    [`witness a ${x1}\ngroup g any g\nquorum g\n`, 'g is not defined above'],
    ['group g any none\nquorum g\n', 'none is not defined above'],
    [`witness a ${x1}\ngroup g any\nquorum a\n`, 'must be: group'],
    [`witness a\nquorum none\n`, 'must be: witness'],
    [`log ${writeVkey(log)} u v\nquorum none\n`, 'must be: log'],
    [`log ${x1}\nquorum none\n`, 'signature type 1 or 6'],
    [`witness a ${writeVkey(log)}\nquorum none\n`, 'signature type 4 or 6'],
    ['log x\nquorum none\n', 'vkey: must have the form'],
    ['toString a\nquorum none\n', 'unknown keyword toString'],
    ['quorum none\r\n', 'control characters'],
    ['quorum none\x7f\n', 'control characters'],
    ['quorum none none\n', 'must be: quorum'],
  ])('is refused: %j', (text, reason) => {
    const policy = parseTlogPolicy(text)
    expect(policy.ok ? '' : policy.reason).toContain(reason)
  })
})
