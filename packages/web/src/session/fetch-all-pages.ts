/** Bounds the length of a selection list; of a longer list only the first pages are read. */
const PAGES_MAX = 20

/** Reads a paged list to its end, or up to PAGES_MAX pages. */
export async function fetchAllPages<Page extends { total: number }, Row>(
  read: (page: number) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = []
  for (let number = 1; ; number += 1) {
    const page = await read(number)
    const more = rowsOf(page)
    rows.push(...more)
    const isLast = rows.length >= page.total || more.length === 0
    if (isLast || number === PAGES_MAX) return { rows, total: page.total }
  }
}
