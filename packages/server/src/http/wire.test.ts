import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offsetOf } from '../kernel/db.ts'
import { toInstant, toPageRequest } from './wire.ts'

describe('toPageRequest', () => {
  it('starts at page 1 with 20 entries, and lowers per_page to the maximum', () => {
    expect(toPageRequest({})).toEqual({ page: 1, perPage: 20 })
    expect(toPageRequest({ per_page: 500 })).toEqual({ page: 1, perPage: 100 })
    const teams = { perPageDefault: 50, perPageMax: 200 }
    expect(toPageRequest({ per_page: 500 }, teams).perPage).toBe(200)
  })

  it('returns consecutive pages without gap or overlap', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1 }), (page, perPage) => {
        const here = toPageRequest({ page, per_page: perPage })
        const next = toPageRequest({ page: page + 1, per_page: perPage })
        expect(offsetOf(next) - offsetOf(here)).toBe(here.perPage)
      }),
    )
  })
})

describe('toInstant', () => {
  it('names the field of a text that is no instant', () => {
    expect(toInstant(undefined, 'from')).toBeUndefined()
    expect(toInstant('2026-03-09T12:00:00+01:00', 'from')).toEqual(new Date('2026-03-09T11:00:00Z'))
    const message = 'must be a valid ISO 8601 instant with offset'
    expect(() => toInstant('2026-02-30T12:00:00Z', 'time_range/start')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: `time_range/start: ${message}`,
        details: [{ path: '/time_range/start', code: 'invalid', message }],
      }),
    )
  })
})
