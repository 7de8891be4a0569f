import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CURVES, type CurveName, curvesOf, FORGOTTEN_MS, waitMs } from './back-off.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const failed = (count: number, agoMs = 0) => ({ count, lastAt: new Date(now.getTime() - agoMs) })
const names = Object.keys(CURVES).filter((name): name is CurveName => name in CURVES)

describe('waitMs', () => {
  it('does not wait for the free attempts', () => {
    expect(waitMs(CURVES.pair, undefined, now)).toBe(0)
    expect(waitMs(CURVES.pair, failed(4), now)).toBe(0)
  })

  it('doubles from a second to a quarter of an hour', () => {
    const waits = [5, 6, 7, 8, 14, 15, 16, 1000].map((count) =>
      waitMs(CURVES.pair, failed(count), now),
    )
    expect(waits.map((ms) => ms / 1000)).toEqual([1, 2, 4, 8, 512, 900, 900, 900])
  })

  it('ends, and is forgotten after a day', () => {
    expect(waitMs(CURVES.pair, failed(7, 3999), now)).toBe(1)
    expect(waitMs(CURVES.pair, failed(7, 4000), now)).toBe(0)
    expect(waitMs(CURVES.pair, failed(1000, FORGOTTEN_MS), now)).toBe(0)
  })

  it('never exceeds the maximum of its curve', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 2 * FORGOTTEN_MS }),
        (name, count, ago) => {
          const wait = waitMs(CURVES[name], failed(count, ago), now)
          expect(wait).toBeGreaterThanOrEqual(0)
          expect(wait).toBeLessThanOrEqual(CURVES[name].waitMsMax)
        },
      ),
    )
  })
})

describe('curvesOf', () => {
  it('judges a known address by what happened there only', () => {
    expect(curvesOf({ kind: 'password', isKnownAddress: true })).toEqual(['knownPair'])
    expect(curvesOf({ kind: 'code', isKnownAddress: true })).toEqual(['codePair'])
  })

  it('judges an unknown address by the account and the address, too', () => {
    const curves = curvesOf({ kind: 'password', isKnownAddress: false })
    expect(curves).toEqual(['pair', 'account', 'address'])
  })
})
