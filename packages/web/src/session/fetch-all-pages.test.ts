import { describe, expect, it } from 'vitest'
import { fetchAllPages } from './fetch-all-pages.ts'

/** A list of so many numbers, two on each page. */
function listOf(total: number) {
  const asked: number[] = []
  const read = async (page: number) => {
    asked.push(page)
    const rows = Array.from({ length: total }, (_, place) => place)
    return { total, rows: rows.slice((page - 1) * 2, page * 2) }
  }
  return { asked, all: () => fetchAllPages(read, ({ rows }) => rows) }
}

describe('all pages of a list', () => {
  it.each([
    { total: 0, pages: 1 },
    { total: 2, pages: 1 },
    { total: 3, pages: 2 },
    { total: 40, pages: 20 },
  ])('hold each of $total once, in order, and are read once', async ({ total, pages }) => {
    const { asked, all } = listOf(total)
    expect(await all()).toEqual({ rows: Array.from({ length: total }, (_, i) => i), total })
    expect(asked).toHaveLength(pages)
  })

  it('end after twenty, and say how many there are', async () => {
    const { asked, all } = listOf(99)
    const { rows, total } = await all()
    expect([rows.length, total, asked.length]).toEqual([40, 99, 20])
  })

  it('end when a list got shorter meanwhile', async () => {
    const read = async (page: number) => ({ total: 5, rows: page === 1 ? [1, 2] : [] })
    expect(await fetchAllPages(read, ({ rows }) => rows)).toEqual({ rows: [1, 2], total: 5 })
  })
})
