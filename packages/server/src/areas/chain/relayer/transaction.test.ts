import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feesFor, GAS_MAX, gasLimitFor, isOvertaken, raisedFees, stepFor } from './transaction.ts'

const GWEI = 10n ** 9n
const CAP = 5n * GWEI
const now = new Date('2026-03-01T12:00:00.000Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const wei = fc.bigInt({ min: 0n, max: 10n * GWEI })

describe('feesFor', () => {
  it('is twice the base fee plus the tip, which is at least 0.001 gwei', () => {
    expect(feesFor({ baseFee: GWEI, tip: 0n }, CAP)).toEqual({
      maxFee: 2n * GWEI + 1_000_000n,
      tip: 1_000_000n,
    })
    expect(feesFor({ baseFee: GWEI, tip: GWEI }, CAP)).toEqual({ maxFee: 3n * GWEI, tip: GWEI })
  })

  it('never exceeds the cap, and is undefined if the base fee does', () => {
    fc.assert(
      fc.property(wei, wei, (baseFee, tip) => {
        const fees = feesFor({ baseFee, tip }, CAP)
        if (fees === undefined)
          expect(baseFee + (tip > 1_000_000n ? tip : 1_000_000n) > CAP).toBe(true)
        else expect(fees.maxFee <= CAP && fees.maxFee >= baseFee + fees.tip).toBe(true)
      }),
    )
  })
})

describe('raisedFees', () => {
  it('raises both by at least an eighth, up to the cap', () => {
    fc.assert(
      fc.property(wei, wei, (maxFee, tip) => {
        const raised = raisedFees({ maxFee, tip }, CAP)
        const enough = raised && raised.maxFee * 8n >= maxFee * 9n && raised.tip * 8n >= tip * 9n
        if (raised === undefined) expect(maxFee * 9n > CAP * 8n - 8n).toBe(true)
        else expect(enough && raised.maxFee <= CAP).toBe(true)
      }),
    )
  })
})

describe('gasLimitFor', () => {
  it('adds a fifth, but never exceeds the limit of a chain', () => {
    expect(gasLimitFor(100_000)).toBe(120_000)
    expect(gasLimitFor(GAS_MAX - 1)).toBe(GAS_MAX)
    expect(gasLimitFor(GAS_MAX + 1)).toBeUndefined()
  })
})

describe('stepFor', () => {
  const step = (sent: number, touched: number, replacements = 0, canRaise = true) =>
    stepFor({ sentAt: ago(sent), touchedAt: ago(touched), replacements }, { now, canRaise })

  it('waits, rebroadcasts at 30 s and replaces from 90 s on', () => {
    expect(step(29, 29)).toBe('wait')
    expect(step(30, 30)).toBe('rebroadcast')
    expect(step(60, 20)).toBe('wait')
    expect(step(90, 0)).toBe('replace')
  })

  it('replaces at most five times', () => {
    expect(step(90, 30, 4)).toBe('replace')
    expect(step(90, 30, 5)).toBe('rebroadcast')
  })

  it('rebroadcasts only every 30 s if the fees cannot be raised', () => {
    expect(step(90, 1, 0, false)).toBe('wait')
    expect(step(90, 30, 0, false)).toBe('rebroadcast')
  })
})

describe('isOvertaken', () => {
  it('abandons a nonce only if the chain is past it, and after a delay', () => {
    const at = (nonce: number, sent: number) =>
      isOvertaken({ nonce, sentAt: ago(sent) }, { nextNonce: 5, now })
    expect(at(4, 90)).toBe(true)
    expect(at(4, 89)).toBe(false)
    expect(at(5, 900)).toBe(false)
  })
})
