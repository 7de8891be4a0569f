import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { PublishedKey } from '../crypto/keys.ts'
import {
  bundleOf,
  COMPUTED_AT,
  exampleDecisions,
  exampleHeader,
  fullBundle,
  KEYS,
  seal,
  sealText,
} from './bundle.fixture.ts'
import type { BundleEntry } from './bundle.ts'
import { verifyBundle } from './verify-bundle.ts'

const example = () => bundleOf({ decisions: exampleDecisions(), header: exampleHeader() })

describe('the example of the specification', () => {
  it('is recomputed from its lines to the published score', async () => {
    const verification = await verifyBundle(seal(example()), KEYS)
    expect(verification).toMatchObject({ faults: [], ok: true, equal: true })
    expect(verification.recomputed).toEqual(verification.published)
    expect(verification.recomputed).toMatchObject({ score: 751, grade: 'A' })
  })

  it('gives the same result as text and as a stream', async () => {
    const text = sealText(example())
    async function* arriving() {
      yield* text.split('\n')
    }
    expect(await verifyBundle(arriving(), KEYS)).toMatchObject({ ok: true, equal: true })
  })

  it('rises as specified if the violation of y is a card gap', async () => {
    const decisions = exampleDecisions('card_gap')
    const header = exampleHeader(({ published, basis }) => {
      published.score = 793
      published.components.compliance = 354
      published.components.drift_stability = 938
      basis.sessions.unstable = 1
    })
    expect(await verifyBundle(seal(bundleOf({ decisions, header })), KEYS)).toMatchObject({
      faults: [],
      recomputed: { score: 793 },
    })
  })

  it('is the same if its later records have an origin', async () => {
    const decisions = exampleDecisions().map((one, i) =>
      i < 100 ? one : { ...one, provenance: 'relayed' },
    )
    const lines = seal(bundleOf({ decisions, header: exampleHeader() }))
    expect(await verifyBundle(lines, KEYS)).toMatchObject({
      faults: [],
      recomputed: { score: 751 },
    })
    const last = JSON.stringify(lines.at(-3)).replace('"relayed"', '"observed"')
    const forged = await verifyBundle(lines.with(-3, JSON.parse(last)), KEYS)
    expect(forged.checks).toMatchObject({ lines: 'failed', chain: 'failed' })
  })

  it('does not rise for a behaviour gap', async () => {
    const decisions = exampleDecisions('behavior_gap')
    const entries = bundleOf({ decisions, header: exampleHeader() })
    expect(await verifyBundle(seal(entries), KEYS)).toMatchObject({ faults: [], ok: true })
  })
})

type Step = string | number
type Parent = Record<Step, unknown>

function* leaves(value: unknown, at: Step[] = []): Generator<Step[]> {
  if (typeof value !== 'object' || value === null) {
    yield at
    return
  }
  for (const [key, member] of Object.entries(value)) {
    yield* leaves(member, [...at, Array.isArray(value) ? Number(key) : key])
  }
}

function flipped(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return 'x'
  return value.startsWith('a') ? `b${value.slice(1)}` : `a${value.slice(1)}`
}

function changed(lines: readonly unknown[], line: number, path: Step[]): unknown[] {
  const copy = [...lines]
  copy[line] = structuredClone(lines[line])
  const parent = path.slice(0, -1).reduce((at, key) => (at as Parent)[key], copy[line]) as Parent
  const key = path.at(-1) ?? ''
  parent[key] = flipped(parent[key])
  return copy
}

/** All leaves of every kind of line; for the many checkpoints, a different leaf each time. */
function* flips(lines: readonly unknown[]): Generator<{ line: number; path: Step[] }> {
  for (const [line, value] of lines.entries()) {
    const paths = [...leaves(value)]
    const { kind } = value as { kind: string }
    const all = kind !== 'checkpoint' || line % 20 === 0
    for (const [i, path] of paths.entries()) {
      if (all || i === line % paths.length) yield { line, path }
    }
  }
}

type Vector = { keys: PublishedKey[]; lines: string[]; recomputed: unknown }

describe('the shared vector', () => {
  const file = new URL('../../../../vectors/reputation/bundle.json', import.meta.url)
  const vector: Vector = JSON.parse(readFileSync(file, 'utf8'))

  it('is recomputed as stated', async () => {
    const { lines, keys, recomputed } = vector
    expect(await verifyBundle(lines, keys)).toMatchObject({ faults: [], ok: true, recomputed })
  })

  it('is reproduced byte for byte', () => {
    expect(sealText(fullBundle())).toBe(`${vector.lines.join('\n')}\n`)
  })
})

describe('a bundle with every kind of line', () => {
  const lines = seal(fullBundle())

  it('is valid', async () => {
    expect(await verifyBundle(lines, KEYS)).toMatchObject({ faults: [], ok: true, equal: true })
  })

  it('is invalid if any value is changed, and the fault names the line', async () => {
    for (const { line, path } of flips(lines)) {
      const { ok, faults } = await verifyBundle(changed(lines, line, path), KEYS)
      const where = `line ${line + 1} ${path.join('/')}`
      expect({ where, ok, named: faults.some((fault) => fault.line === line + 1) }).toEqual({
        where,
        ok: false,
        named: true,
      })
    }
  })

  it('is invalid if a line is missing, duplicated or moved', async () => {
    for (let i = 0; i < lines.length; i += 17) {
      const [here, next] = [lines[i], lines[i + 1] ?? lines[0]]
      const missing = lines.toSpliced(i, 1)
      const twice = lines.toSpliced(i, 0, here)
      const moved = lines.with(i, next).with((i + 1) % lines.length, here)
      for (const wrong of [missing, twice, moved]) {
        expect(await verifyBundle(wrong, KEYS)).toMatchObject({ ok: false })
      }
    }
  })

  it('is invalid with keys other than those it was signed with', async () => {
    expect(await verifyBundle(lines, [])).toMatchObject({ ok: false, equal: true })
  })

  it('is invalid, without an error, if it is not a bundle at all', async () => {
    for (const given of [[], ['{'], [null], [{ kind: 'header' }], [{ kind: 'trailer' }], [[]]]) {
      const verification = await verifyBundle(given, KEYS)
      expect(verification).toMatchObject({ ok: false, equal: false, recomputed: null })
    }
  })
})

type Change = (entries: BundleEntry[]) => unknown
type Of<K extends BundleEntry['kind']> = Extract<BundleEntry, { kind: K }>['value']

function pick<K extends BundleEntry['kind']>(entries: BundleEntry[], kind: K, index = 0): Of<K> {
  const found = entries.filter((entry) => entry.kind === kind)[index]
  if (found === undefined) throw new Error(`no ${kind} ${index}`)
  return found.value as Of<K>
}

const lies: [string, Change, RegExp][] = [
  [
    'a verdict',
    (all) => Object.assign(pick(all, 'checkpoint', 0).record.claims, { verdict: 'clear' }),
    /^checkpoint 0: chain\/record_hash/,
  ],
  [
    'the time of a violation',
    (all) =>
      Object.assign(pick(all, 'checkpoint', 0).record, { timestamp: '2025-01-01T00:00:00.000Z' }),
    /^checkpoint 0: chain\/record_hash/,
  ],
  [
    'a changed link',
    (all) => Object.assign(pick(all, 'checkpoint', 9).chain, { chain_hash: '0'.repeat(64) }),
    /^checkpoint 9: chain\/chain_hash/,
  ],
  ['an omitted checkpoint', (all) => all.splice(20, 1), /^checkpoint 14: chain\/position/],
  [
    'an excluded violation',
    (all) => Object.assign(pick(all, 'checkpoint', 0), { excluded_from_score: true }),
    /^checkpoint 0: excluded_from_score/,
  ],
  [
    'a flag without cause',
    (all) => Object.assign(pick(all, 'checkpoint', 30), { flags: ['uniform_timing'] }),
    /^checkpoint 30: flags/,
  ],
  [
    'an unknown flag',
    (all) => Object.assign(pick(all, 'checkpoint', 30), { flags: ['word_salad', 'vain'] }),
    /^checkpoint 30: flags must be \[word_salad\]/,
  ],
  [
    'a clear checkpoint excluded for a flag that leaves the score alone',
    (all) =>
      Object.assign(pick(all, 'checkpoint', 30), {
        flags: ['low_novelty'],
        excluded_from_score: true,
      }),
    /^checkpoint 30: excluded_from_score/,
  ],
  [
    'a reclassified clear checkpoint',
    (all) => Object.assign(pick(all, 'checkpoint', 30), { reclassification: 'card_gap' }),
    /^checkpoint 30: reclassification/,
  ],
  [
    'the published score',
    (all) => Object.assign(pick(all, 'header').published, { score: 999 }),
    /^header: published\/score/,
  ],
  [
    'a component',
    (all) => Object.assign(pick(all, 'header').published.components, { compliance: 999 }),
    /^header: published\/components\/compliance/,
  ],
  [
    'a figure of the basis',
    (all) => Object.assign(pick(all, 'header').basis.sessions, { unstable: 0 }),
    /^header: basis\/sessions\/unstable/,
  ],
  [
    'a pair score',
    (all) => Object.assign(pick(all, 'pair_score'), { pair_score_e4: 10_000 }),
    /^header: basis\/peers\/pair_score_e4_sum/,
  ],
  [
    'expired points',
    (all) => Object.assign(pick(all, 'adjustment'), { valid_until: COMPUTED_AT }),
    /^adjustment: valid_until/,
  ],
  [
    'points counted twice',
    (all) => {
      const at = all.findIndex(({ kind }) => kind === 'adjustment')
      const half = Object.assign(pick(all, 'adjustment'), { points_e4: 525_000 })
      all.splice(at, 0, { kind: 'adjustment', value: { ...half } })
    },
    /^adjustment: adjustment_id/,
  ],
  [
    'the root',
    (all) => Object.assign(pick(all, 'header').tree_head, { merkle_root: '0'.repeat(64) }),
    /^header: tree_head\/merkle_root/,
  ],
  [
    'more traces',
    (all) => Object.assign(pick(all, 'header').basis, { traces_stored: 40 }),
    /^header: published\/components\/trace_completeness/,
  ],
]

describe('a service that signs a lie', () => {
  it.each(lies)('is exposed by %s', async (_, change, expected) => {
    const entries = structuredClone(fullBundle())
    change(entries)
    const { ok, faults } = await verifyBundle(seal(entries), KEYS)
    expect(ok).toBe(false)
    expect(faults.map(({ place, message }) => `${place}: ${message}`)).toContainEqual(
      expect.stringMatching(expected),
    )
  })
})

describe('the checks of a bundle', () => {
  const checksOf = async (lines: readonly unknown[]) => (await verifyBundle(lines, KEYS)).checks
  const passed = {
    lines: 'passed',
    chain: 'passed',
    tree: 'passed',
    signatures: 'passed',
    certificate: 'passed',
    score: 'passed',
  }

  it('all pass for a true bundle', async () => {
    expect(await checksOf(seal(fullBundle()))).toEqual(passed)
  })

  it('fail only where a change breaks one', async () => {
    const entries = structuredClone(fullBundle())
    pick(entries, 'header').published.score += 1
    expect(await checksOf(seal(entries))).toEqual({ ...passed, score: 'failed' })
    const stranger = seal(fullBundle()).slice(0, -1)
    expect(await checksOf(stranger)).toEqual({ ...passed, signatures: 'failed' })
  })

  it('are not reached if they could not be performed', async () => {
    const { checks } = await verifyBundle(seal(fullBundle()).slice(1), KEYS)
    expect(checks).toEqual({
      lines: 'failed',
      chain: 'not_reached',
      tree: 'not_reached',
      signatures: 'not_reached',
      certificate: 'not_reached',
      score: 'not_reached',
    })
  })

  it('fail even if their faults are too many to be listed', async () => {
    const [header, ...rest] = seal(fullBundle())
    const noise = Array.from({ length: 150 }, () => 'no line')
    const { checks, faults, faultCount } = await verifyBundle(
      [header, ...noise, ...rest.slice(0, -1)],
      KEYS,
    )
    expect(faults).toHaveLength(100)
    expect(faultCount).toBeGreaterThan(150)
    expect(checks).toMatchObject({ lines: 'failed', signatures: 'failed' })
  })
})
