/** Reads in order, after the last item already read. */
export type Read<Span, Item> = (
  span: Span,
  after: Item | undefined,
  limit: number,
) => Promise<Item[]>

/**
 * About 400 KB of text and 10 ms of CPU, short enough not to delay requests. Smaller slices cost
 * more per row.
 */
const SLICE_ROWS = 500

/**
 * Reads all slices, prefetching exactly one while the current one is sent, however slow the
 * receiver is. The prefetched slice waits as text: its many objects would survive into the old
 * generation of the heap and grow memory.
 */
export async function* slices<Span, Item>(
  read: Read<Span, Item>,
  span: Span,
  textOf: (items: readonly Item[]) => string,
): AsyncGenerator<string> {
  const take = async (after: Item | undefined) => {
    const items = await read(span, after, SLICE_ROWS)
    return { text: textOf(items), last: items.at(-1), isLast: items.length < SLICE_ROWS }
  }
  let next = take(undefined)
  for (;;) {
    const { text, last, isLast } = await next
    if (!isLast) {
      next = take(last)
      // Prevents an unhandled rejection if the receiver disconnects; otherwise it is awaited
      // above.
      next.catch(() => undefined)
    }
    if (text !== '') yield text
    if (isLast) return
  }
}
