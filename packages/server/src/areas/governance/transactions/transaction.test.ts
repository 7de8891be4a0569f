import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { later } from '../../../kernel/clock.ts'
import { START, transactionOf } from './transaction.fixture.ts'
import { durationMs, statusOf } from './transaction.ts'

describe('the status of a transaction', () => {
  const { expiresAt } = transactionOf('txn-1')
  const at = (ms: number) => later(expiresAt, ms)

  it('is active until it expires', () => {
    const open = { expiresAt, completedAt: null }
    expect(statusOf(open, START)).toBe('active')
    expect(statusOf(open, at(-1))).toBe('active')
    expect(statusOf(open, at(0))).toBe('expired')
    expect(statusOf(open, at(1))).toBe('expired')
  })

  it('stays completed after the expiry time', () => {
    const done = { expiresAt, completedAt: at(-1) }
    expect(statusOf(done, at(-1))).toBe('completed')
    expect(statusOf(done, at(1))).toBe('completed')
  })
})

describe('the duration of a transaction', () => {
  it('can be a fraction of an hour', () => {
    expect(durationMs(1)).toBe(3_600_000)
    expect(durationMs(0.25)).toBe(900_000)
    expect(durationMs(0.7)).toBe(2_520_000)
    expect(durationMs(24)).toBe(86_400_000)
  })

  it('is at least one millisecond and otherwise rounded to the nearest', () => {
    const hours = fc.double({ min: 0, minExcluded: true, max: 24, noNaN: true })
    fc.assert(
      fc.property(hours, (given) => {
        const ms = durationMs(given)
        expect(Number.isInteger(ms)).toBe(true)
        expect(ms).toBeGreaterThanOrEqual(1)
        if (ms > 1) expect(Math.abs(ms - given * 3_600_000)).toBeLessThanOrEqual(0.5)
      }),
    )
  })
})
