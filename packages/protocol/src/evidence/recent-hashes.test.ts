import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countAlike, fromSlots, NO_HASHES, slotsSince, withHash } from './recent-hashes.ts'
import { hammingDistance } from './sim-hash.ts'

const remembered = (hashes: readonly bigint[]) => hashes.reduce(withHash, NO_HASHES)
/** Far from each other: each number is spread over all bits. */
const spread = (i: number) => BigInt.asUintN(64, BigInt(i + 1) * 0x9e3779b97f4a7c15n)

describe('countAlike', () => {
  it('counts the hashes that differ in at most three bits', () => {
    const recent = remembered([0n, 0b111n, 0b1111n, 1n << 63n, (1n << 63n) | (1n << 31n) | 3n])
    expect(countAlike(recent, 0n)).toBe(3)
    expect(countAlike(NO_HASHES, 0n)).toBe(0)
  })

  it('reaches back 500 hashes', () => {
    const others = Array.from({ length: 499 }, (_, i) => spread(i))
    expect(countAlike(remembered([0n, ...others]), 0n)).toBe(1)
    expect(countAlike(remembered([0n, ...others, spread(499)]), 0n)).toBe(0)
  })

  it('agrees with a search through all of them, also after storing and reading', () => {
    const hash = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt(0n, 15n))
    const batches = fc.array(fc.array(hash, { maxLength: 120 }), { maxLength: 20 })
    fc.assert(
      fc.property(batches, hash, (given, sought) => {
        const stored = new Map<number, { first: number; hashes: Buffer }>()
        let recent = NO_HASHES
        for (const batch of given) {
          const { total } = recent
          recent = batch.reduce(withHash, recent)
          for (const { slot, first, hashes } of slotsSince(total, recent)) {
            stored.set(slot, { first, hashes: Buffer.from(hashes, 'hex') })
          }
          expect(stored.size).toBeLessThanOrEqual(6)
        }
        const alike = given
          .flat()
          .slice(-500)
          .filter((one) => hammingDistance(one, sought) <= 3).length
        expect(countAlike(recent, sought)).toBe(alike)
        const read = fromSlots([...stored.values()])
        expect(read.total).toBe(recent.total)
        expect(countAlike(read, sought)).toBe(alike)
        expect(slotsSince(read.total, read)).toEqual([])
      }),
      { numRuns: 30 },
    )
  })
})
