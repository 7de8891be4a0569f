import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offsetOf } from '../kernel/db.ts'
import { toPageRequest } from './wire.ts'

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
