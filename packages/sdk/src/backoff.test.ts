import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from './api-error.ts'
import { waitAfter } from './backoff.ts'

const answered = (status: number, more: { code?: string; retryAfter?: number } = {}) =>
  new ApiError({ status, code: 'some_code', message: 'No.', ...more })

describe('waitAfter', () => {
  it('doubles from a quarter of a second, and stops at eight', () => {
    const waits = [0, 1, 2, 5, 20].map((attempt) => waitAfter(answered(503), attempt, 1))
    expect(waits).toEqual([250, 500, 1000, 8000, 8000])
  })

  it('waits at least as long as the service asked for', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.nat(60), fc.nat(10), random, (retryAfter, attempt, share) => {
        const wait = waitAfter(answered(429, { retryAfter }), attempt, share)
        expect(wait).toBeGreaterThanOrEqual(retryAfter * 1000)
        expect(wait).toBeLessThanOrEqual(retryAfter * 1000 + 8000)
      }),
    )
  })

  it('leaves longer waits to the caller', () => {
    expect(waitAfter(answered(429, { retryAfter: 61 }), 0, 0)).toBeUndefined()
  })

  it('tries again after silence and while the first attempt is at work', () => {
    expect(waitAfter(new TypeError('fetch failed'), 0, 0)).toBe(0)
    expect(waitAfter(answered(409, { code: 'idempotency_in_progress' }), 0, 0)).toBe(0)
  })

  it('takes no for an answer', () => {
    for (const status of [400, 401, 403, 404, 409, 422]) {
      expect(waitAfter(answered(status), 0, 0)).toBeUndefined()
    }
    expect(waitAfter(new DOMException('gone', 'AbortError'), 0, 0)).toBeUndefined()
  })
})
