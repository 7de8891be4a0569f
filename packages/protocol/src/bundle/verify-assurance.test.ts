import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { PublishedKey } from '../crypto/keys.ts'
import { bundleOf, KEYS, seal, sealText } from './bundle.fixture.ts'
import type { BundleEntry, BundleHeader2 } from './bundle.ts'
import { assuredBundle } from './bundle-assurance.fixture.ts'
import { verifyBundle } from './verify-bundle.ts'

type Change = (header: Omit<BundleHeader2, 'tree_head'>) => void

const verifyWith = (change: Change) => verifyBundle(seal(assuredBundle(change)), KEYS)

function checkpointsOf(entries: readonly BundleEntry[]) {
  return entries.flatMap((entry) => (entry.kind === 'checkpoint' ? [entry.value] : []))
}

describe('a bundle of methodology 2', () => {
  it('gives the assurance and the assured score', async () => {
    const found = await verifyBundle(seal(assuredBundle()), KEYS)
    expect(found).toMatchObject({ faults: [], ok: true, equal: true })
    expect(found.recomputed).toMatchObject({
      score: 975,
      assuredScore: 849,
      assurance: {
        level: 2,
        observed_share: 0.3333,
        relayed_share: 0.3333,
        days: 8,
        span_days: 8,
        effective_checkpoints: 60,
        limits: ['SHORT_HISTORY', 'LOW_NOVELTY', 'UNTRACED', 'UNWITNESSED'],
      },
    })
  })

  const pair = (peer_id: string, pair_score_e4: number, weight?: 0.5 | 1): BundleEntry => {
    const checked_at = '2026-02-20T00:00:00.000Z'
    const value = { peer_id, pair_score_e4, checked_at, ...(weight && { weight }) }
    return { kind: 'pair_score', value }
  }
  const PAIRS = [pair('peer-1', 10_000, 0.5), pair('peer-2', 10_000, 0.5), pair('peer-3', 4000, 1)]

  /** With these pair scores, and the coherence of 700 that follows from the first three. */
  const withPairs = (pairs: BundleEntry[], change: Change = () => undefined) => {
    const [header, ...others] = assuredBundle((changed) => {
      changed.basis.peers = {
        count: 3,
        pair_score_e4_sum: 24_000,
        across_orgs: { count: 1, pair_score_e4_sum: 4000 },
      }
      changed.published.components.coherence_compatibility = 700
      changed.published.score = 970
      change(changed)
    })
    return verifyBundle(
      seal([...(header === undefined ? [] : [header]), ...pairs, ...others]),
      KEYS,
    )
  }

  it('weighs pair scores within the organisation half', async () => {
    const found = await withPairs(PAIRS)
    expect(found).toMatchObject({ faults: [], ok: true, equal: true })
    expect(found.recomputed?.components?.coherence_compatibility).toBe(700)
  })

  it('is invalid with other weights than those that its score used', async () => {
    const light = await withPairs([...PAIRS.slice(0, 2), pair('peer-3', 4000, 0.5)])
    expect(light.ok).toBe(false)
    expect(light.faults.map(({ message }) => message)).toContain(
      'basis/peers/across_orgs/count is 1, but the lines give 0',
    )
    const heavy = { ...pair('peer-3', 4000), value: { ...pair('peer-3', 4000).value, weight: 2 } }
    const odd = await withPairs([...PAIRS.slice(0, 2), heavy as BundleEntry])
    expect(odd.faults.map(({ message }) => message).join()).toContain('must be 0.5 or 1')
  })

  const claims: [string, Change, string][] = [
    [
      'a higher level',
      ({ published }) => Object.assign(published.assurance, { level: 3 }),
      'level',
    ],
    [
      'a higher share',
      ({ published }) => Object.assign(published.assurance, { observed_share: 0.5 }),
      'observed_share',
    ],
    ['more days', ({ published }) => Object.assign(published.assurance, { days: 14 }), 'days'],
    [
      'fewer limits',
      ({ published }) => Object.assign(published.assurance, { limits: ['UNWITNESSED'] }),
      'limits',
    ],
  ]
  it.each(claims)('is invalid if it claims %s', async (_, change, field) => {
    const { ok, faults } = await verifyWith(change)
    expect(ok).toBe(false)
    expect(faults.map(({ message }) => message)).toEqual([
      `published/assurance/${field} does not match the recomputed value`,
    ])
  })

  it('is invalid if it claims a higher assured score', async () => {
    const change: Change = ({ published }) => Object.assign(published, { assured_score: 900 })
    expect((await verifyWith(change)).checks).toMatchObject({ score: 'failed', lines: 'passed' })
  })

  it('is recomputed with what the service asserts beside the lines', async () => {
    const { recomputed } = await verifyWith(({ basis }) => {
      basis.assurance.claimed = false
      basis.assurance.outcomes_known = 40
    })
    expect(recomputed).toMatchObject({
      assuredScore: 749,
      assurance: { level: 1, limits: ['SHORT_HISTORY', 'LOW_NOVELTY', 'UNCLAIMED', 'UNWITNESSED'] },
    })
  })

  it('is invalid if more outcomes are known than decisions allowed', async () => {
    const { ok, recomputed } = await verifyWith(({ basis }) => {
      basis.assurance.outcomes_known = 41
    })
    expect({ ok, recomputed }).toEqual({ ok: false, recomputed: null })
  })

  it('is invalid if a line moves a checkpoint to another day than its record does', async () => {
    const entries = assuredBundle()
    Object.assign(checkpointsOf(entries)[20] ?? {}, { received_at: '2026-01-01T00:00:00.000Z' })
    const { faults } = await verifyBundle(seal(entries), KEYS)
    expect(faults[0]).toMatchObject({
      check: 'score',
      place: 'checkpoint 20',
      message: 'received_at does not match the record',
    })
  })

  it('is invalid if a line does not say when its checkpoint was received', async () => {
    const entries = assuredBundle()
    for (const checkpoint of checkpointsOf(entries)) delete checkpoint.received_at
    const { faults } = await verifyBundle(seal(entries), KEYS)
    expect(faults[0]?.message).toBe('received_at is not a valid timestamp')
  })

  /** 122 analysed checkpoints of one hour, a synthetic one among them. */
  const busy = (flagsOf: (position: number) => readonly string[]): BundleEntry[] => {
    const [header] = assuredBundle()
    if (header?.kind !== 'header') throw new Error('the header is not first')
    return bundleOf({
      decisions: Array.from({ length: 123 }, (_, position) => ({
        session: 's',
        receivedAt: '2026-02-28T10:30:00.000Z',
        provenance: 'reported',
        synthetic: position === 5,
        flags: flagsOf(position),
      })),
      header: () => header.value,
    })
  }
  const flagFaults = async (flagsOf: (position: number) => readonly string[]) => {
    const { faults } = await verifyBundle(seal(busy(flagsOf)), KEYS)
    return faults.flatMap(({ place, message }) =>
      message.startsWith('flags') ? [`${place}: ${message}`] : [],
    )
  }

  it('has the flag burst exactly where the times of receipt show one', async () => {
    expect(await flagFaults((position) => (position > 120 ? ['burst'] : []))).toEqual([])
    expect(await flagFaults(() => [])).toEqual([
      'checkpoint 121: flags must be [burst]',
      'checkpoint 122: flags must be [burst]',
    ])
    expect(await flagFaults((position) => (position > 119 ? ['burst'] : []))).toEqual([
      'checkpoint 120: flags must be []',
    ])
  })

  it('is not mixed with methodology 1', async () => {
    const entries = assuredBundle()
    const [header] = entries
    if (header?.kind !== 'header') throw new Error('the header is not first')
    const { methodology: _, ...others } = { ...header.value, methodology: '' }
    const mixed = { kind: 'header', value: { ...others, methodology_version: '1.0.0' } }
    const lines = seal([mixed as BundleEntry, ...entries.slice(1)])
    expect(await verifyBundle(lines, KEYS)).toMatchObject({
      ok: false,
      checks: { lines: 'failed' },
    })
  })
})

describe('the shared vector of methodology 2', () => {
  type Vector = { keys: PublishedKey[]; lines: string[]; recomputed: unknown }
  const file = new URL('../../../../vectors/reputation/bundle-2.json', import.meta.url)
  const vector: Vector = JSON.parse(readFileSync(file, 'utf8'))

  it('is recomputed as stated', async () => {
    const { lines, keys, recomputed } = vector
    expect(await verifyBundle(lines, keys)).toMatchObject({ faults: [], ok: true, recomputed })
  })

  it('is reproduced byte for byte', () => {
    expect(sealText(assuredBundle())).toBe(`${vector.lines.join('\n')}\n`)
  })
})
