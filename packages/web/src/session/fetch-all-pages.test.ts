import { describe, expect, it } from 'vitest'
import { fetchAllPages } from './fetch-all-pages.ts'

/** A list of `total` numbers, two per page. */
function listOf(total: number) {
  const asked: number[] = []
  const read = async (page: number) => {
    asked.push(page)
    const rows = Array.from({ length: total }, (_, place) => place)
    return { total, rows: rows.slice((page - 1) * 2, page * 2) }
  }
  return { asked, all: () => fetchAllPages(read, ({ rows }) => rows) }
}

describe('fetchAllPages', () => {
  it.each([
    { total: 0, pages: 1 },
    { total: 2, pages: 1 },
    { total: 3, pages: 2 },
    { total: 40, pages: 20 },
  ])(
    'returns all $total rows once and in order, and reads each page once',
    async ({ total, pages }) => {
      const { asked, all } = listOf(total)
      expect(await all()).toEqual({ rows: Array.from({ length: total }, (_, i) => i), total })
      expect(asked).toHaveLength(pages)
    },
  )

  it('stops after twenty pages and still returns the total', async () => {
    const { asked, all } = listOf(99)
    const { rows, total } = await all()
    expect([rows.length, total, asked.length]).toEqual([40, 99, 20])
  })

  it('stops if the list became shorter while it was read', async () => {
    const read = async (page: number) => ({ total: 5, rows: page === 1 ? [1, 2] : [] })
    expect(await fetchAllPages(read, ({ rows }) => rows)).toEqual({ rows: [1, 2], total: 5 })
  })
})
