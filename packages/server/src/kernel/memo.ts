/**
 * Keeps what a text leads to, for as many as given; when there are more it begins anew. For what
 * never changes: the same text always leads to the same. What throws is not kept.
 */
export function createMemo<V>(entriesMax: number, find: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const value = find(text)
    if (known.size >= entriesMax) known.clear()
    known.set(text, value)
    return value
  }
}
