import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pageWindow } from './page-window.ts'

/** Reads as the database does: one way or the other, then back in order. */
function read(items: readonly number[], window: ReturnType<typeof pageWindow>): number[] {
  const { fromEnd, offset, limit } = window
  const ordered = fromEnd ? items.toReversed() : items
  const part = ordered.slice(offset, offset + limit)
  return fromEnd ? part.toReversed() : part
}

describe('pageWindow', () => {
  it('is the page, whichever end it is read from', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 50 }),
        (total, page, perPage) => {
          const items = Array.from({ length: total }, (_, i) => i)
          const wanted = items.slice((page - 1) * perPage, page * perPage)
          expect(read(items, pageWindow(total, { page, perPage }))).toEqual(wanted)
        },
      ),
    )
  })

  it('never passes more than half of the list', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 1, max: 1_000_000_000 }),
        (total, page) => {
          const { offset } = pageWindow(total, { page, perPage: 20 })
          expect(offset).toBeLessThanOrEqual(total / 2)
        },
      ),
    )
  })

  it('is nothing past the end', () => {
    expect(pageWindow(5, { page: 2, perPage: 5 }).limit).toBe(0)
    expect(pageWindow(0, { page: 1, perPage: 5 }).limit).toBe(0)
  })
})
