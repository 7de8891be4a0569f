import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offsetOf } from '../kernel/db.ts'
import { toInstant, toPageFields, toPageRequest } from './wire.ts'

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

  it('starts at any offset, and names the page that contains it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 1 }), (offset, limit) => {
        const request = toPageRequest({ offset, limit })
        expect(offsetOf(request)).toBe(offset)
        expect(request.perPage).toBe(Math.min(limit, 100))
        const pageStart = (request.page - 1) * request.perPage
        expect(offset - pageStart).toBeGreaterThanOrEqual(0)
        expect(offset - pageStart).toBeLessThan(request.perPage)
      }),
    )
  })

  it('needs only one of limit and offset', () => {
    expect(toPageRequest({ limit: 7 })).toEqual({ page: 1, perPage: 7, offset: 0 })
    expect(toPageRequest({ offset: 45 })).toEqual({ page: 3, perPage: 20, offset: 45 })
  })

  it('refuses pages together with limit or offset', () => {
    for (const query of [
      { page: 1, limit: 20 },
      { page: 2, offset: 20 },
      { per_page: 20, limit: 20 },
      { per_page: 20, offset: 0 },
    ]) {
      expect(() => toPageRequest(query)).toThrow(/not both/)
    }
  })
})

describe('toPageFields', () => {
  it('echoes limit and offset only if they were used', () => {
    expect(toPageFields({ ...toPageRequest({ page: 2 }), total: 3 })).toEqual({
      total: 3,
      page: 2,
      per_page: 20,
    })
    expect(toPageFields({ ...toPageRequest({ offset: 7, limit: 500 }), total: 3 })).toEqual({
      total: 3,
      page: 1,
      per_page: 100,
      limit: 100,
      offset: 7,
    })
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
