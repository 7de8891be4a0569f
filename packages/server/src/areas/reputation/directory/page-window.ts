/** Which part of an ordered list to read, counted from its start or from its end. */
export type PageWindow = { fromEnd: boolean; offset: number; limit: number }

/** From the nearer end, as whoever reads a list in order passes everything before the page. */
export function pageWindow(
  total: number,
  { page, perPage }: { page: number; perPage: number },
): PageWindow {
  const before = Math.min((page - 1) * perPage, total)
  const limit = Math.min(perPage, total - before)
  const after = total - before - limit
  return after < before
    ? { fromEnd: true, offset: after, limit }
    : { fromEnd: false, offset: before, limit }
}
