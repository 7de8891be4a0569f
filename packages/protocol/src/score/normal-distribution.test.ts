import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalCdf } from './normal-distribution.ts'

describe('normalCdf', () => {
  // From printed tables of the normal distribution, to the digits given.
  it.each([
    [0, 0.5],
    [0.5, 0.6914624612740131],
    [1, 0.8413447460685429],
    [1.96, 0.9750021048517795],
    [2, 0.9772498680518208],
    [3, 0.9986501019683699],
    [5, 0.9999997133484281],
    [-1, 0.15865525393145707],
    [-2.5, 0.006209665325776132],
    [-4, 0.00003167124183311986],
  ])('of %d is %d', (z, share) => {
    expect(Math.abs(normalCdf(z) - share)).toBeLessThan(1e-14)
  })

  it('is exactly 0 or 1 from |z| = 8 on, and close to that just inside', () => {
    expect([normalCdf(-1e300), normalCdf(1e300)]).toEqual([0, 1])
    expect([normalCdf(-8), normalCdf(8)]).toEqual([0, 1])
    expect(normalCdf(-7.99)).toBeCloseTo(0, 14)
    expect(normalCdf(7.99)).toBeCloseTo(1, 14)
  })

  it('is symmetric and does not decrease, within 1e-14', () => {
    const z = fc.double({ min: -9, max: 9, noNaN: true })
    fc.assert(
      fc.property(z, z, (a, b) => {
        expect(Math.abs(normalCdf(a) + normalCdf(-a) - 1)).toBeLessThan(1e-14)
        expect(normalCdf(Math.max(a, b)) - normalCdf(Math.min(a, b))).toBeGreaterThan(-1e-14)
      }),
    )
  })
})
