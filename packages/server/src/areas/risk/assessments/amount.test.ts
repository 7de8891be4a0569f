import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AMOUNT_MAX, limitMinor, toMinor } from './amount.ts'

describe('toMinor', () => {
  it.each([
    [0, 0],
    [0.29, 29],
    [1.1, 110],
    [50_000, 5_000_000],
    [999_999_999_999.99, 99_999_999_999_999],
    [AMOUNT_MAX, 100_000_000_000_000],
  ])('of %d is %d', (amount, minor) => {
    expect(toMinor(amount)).toBe(minor)
  })

  it.each([0.001, 0.005, 1.234, 1e-9])('does not exist of %d', (amount) => {
    expect(toMinor(amount)).toBeUndefined()
  })

  it('is exact for every amount with two decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 * AMOUNT_MAX }), (minor) => {
        expect(toMinor(minor / 100)).toBe(minor)
      }),
    )
  })
})

describe('limitMinor', () => {
  it.each([
    [100, 10_000],
    [0.29, 29],
    [10.005, 1000],
    [1e300, 100 * AMOUNT_MAX],
  ])('of %d is %d', (limit, minor) => {
    expect(limitMinor(limit)).toBe(minor)
  })

  it('admits exactly the amounts up to the limit', () => {
    const amounts = fc.integer({ min: 0, max: 1_000_000 }).map((minor) => minor / 100)
    fc.assert(
      fc.property(amounts, fc.double({ min: 0, max: 10_000, noNaN: true }), (amount, limit) => {
        expect((toMinor(amount) ?? 0) > limitMinor(limit)).toBe(amount > limit)
      }),
    )
  })
})
