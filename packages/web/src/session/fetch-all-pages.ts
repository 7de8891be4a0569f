/** As many as a list to choose from can have; of more, the newest are offered. */
const PAGES_MAX = 20

/** A whole list, page after page. */
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
