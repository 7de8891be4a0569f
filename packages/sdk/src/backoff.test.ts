import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from './api-error.ts'
import { retryDelayMs } from './backoff.ts'

const errorWith = (status: number, more: { code?: string; retryAfter?: number } = {}) =>
  new ApiError({ status, code: 'some_code', message: 'No.', ...more })

describe('retryDelayMs', () => {
  it('doubles the delay from 250 ms up to at most 8 s', () => {
    const waits = [0, 1, 2, 5, 20].map((attempt) => retryDelayMs(errorWith(503), attempt, 1))
    expect(waits).toEqual([250, 500, 1000, 8000, 8000])
  })

  it('waits at least as long as Retry-After says', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.nat(60), fc.nat(10), random, (retryAfter, attempt, share) => {
        const wait = retryDelayMs(errorWith(429, { retryAfter }), attempt, share)
        expect(wait).toBeGreaterThanOrEqual(retryAfter * 1000)
        expect(wait).toBeLessThanOrEqual(retryAfter * 1000 + 8000)
      }),
    )
  })

  it('does not retry when Retry-After exceeds one minute', () => {
    expect(retryDelayMs(errorWith(429, { retryAfter: 61 }), 0, 0)).toBeUndefined()
  })

  it('retries after a network failure and while the first attempt is still in progress', () => {
    expect(retryDelayMs(new TypeError('fetch failed'), 0, 0)).toBe(0)
    expect(retryDelayMs(errorWith(409, { code: 'idempotency_in_progress' }), 0, 0)).toBe(0)
  })

  it('does not retry client errors or an aborted request', () => {
    for (const status of [400, 401, 403, 404, 409, 422]) {
      expect(retryDelayMs(errorWith(status), 0, 0)).toBeUndefined()
    }
    expect(retryDelayMs(new DOMException('gone', 'AbortError'), 0, 0)).toBeUndefined()
  })
})
