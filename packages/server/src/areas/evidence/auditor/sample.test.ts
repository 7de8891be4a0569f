import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planOf, positionsOf } from './sample.ts'

const seedOf = (n: number): string => n.toString(16).padStart(16, '0')

/** The sample as documented for those who repeat it (docs/spec/provenance.md, section 7). */
function repeated(seed: string, population: number): number[] {
  const chosen = new Set<number>()
  for (let i = 0; chosen.size < Math.min(200, population); i += 1) {
    const digest = createHash('sha256').update(`${seed}:${i}`).digest()
    chosen.add(digest.readUIntBE(0, 6) % population)
  }
  return [...chosen].sort((a, b) => a - b)
}

describe('the sample', () => {
  it('can be repeated from its seed', () => {
    const chain = fc.record({
      length: fc.nat(30_000),
      audited: fc.nat(30_000),
      seed: fc.bigInt(0n, 2n ** 64n - 1n).map((n) => n.toString(16).padStart(16, '0')),
    })
    fc.assert(
      fc.property(chain, (given) => {
        const plan = planOf(given)
        expect(plan.tailFrom).toBe(Math.max(plan.audited, given.length - 1000))
        expect(plan.sampled).toEqual(repeated(given.seed, plan.tailFrom))
      }),
    )
  })

  it('is all of a short history, and 200 different checkpoints of a long one', () => {
    const short = planOf({ length: 150, audited: 150, seed: seedOf(1) })
    expect(short.sampled).toEqual(Array.from({ length: 150 }, (_, i) => i))
    const long = planOf({ length: 5000, audited: 5000, seed: seedOf(1) })
    expect(new Set(long.sampled).size).toBe(200)
    expect(Math.max(...long.sampled)).toBeLessThan(5000)
  })

  it('takes every checkpoint about equally often, over many seeds', () => {
    const [population, seeds] = [1000, 1000]
    const counts = new Int32Array(population)
    for (let n = 0; n < seeds; n += 1) {
      const { sampled } = planOf({ length: population, audited: population, seed: seedOf(n) })
      for (const position of sampled) counts[position] = (counts[position] ?? 0) + 1
    }
    // 200 on average; the standard deviation of a binomial with a fifth of 1,000 is 12.6.
    expect(Math.min(...counts)).toBeGreaterThan(200 - 5 * 12.6)
    expect(Math.max(...counts)).toBeLessThan(200 + 5 * 12.6)
    const firstHalf = counts.slice(0, population / 2).reduce((sum, count) => sum + count, 0)
    expect(Math.abs(firstHalf / (200 * seeds) - 0.5)).toBeLessThan(0.005)
  })
})

describe('the tail', () => {
  it('is everything since the audit', () => {
    const plan = planOf({ length: 530, audited: 500, seed: seedOf(1) })
    expect(plan).toMatchObject({ audited: 500, tailFrom: 500, unchecked: 0 })
    const positions = positionsOf(plan, 530)
    expect(positions.slice(-30)).toEqual(Array.from({ length: 30 }, (_, i) => 500 + i))
    expect(positions).toHaveLength(230)
  })

  it('is the newest 1,000, and what is not recomputed is counted', () => {
    const plan = planOf({ length: 5000, audited: 500, seed: seedOf(1) })
    const late = plan.sampled.filter((position) => position >= 500).length
    expect(plan).toMatchObject({ tailFrom: 4000, unchecked: 3500 - late })
    // The checkpoint after the audit shows whether the audited end was rewritten.
    expect(positionsOf(plan, 5000)).toContain(500)
  })
})
