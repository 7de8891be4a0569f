/**
 * The connected components of the indices 0 to count - 1, each ascending, ordered by their first
 * index. An index without edges is a component of its own.
 */
export function connectedComponents(
  count: number,
  edges: Iterable<readonly [number, number]>,
): number[][] {
  const parents = Array.from({ length: count }, (_, index) => index)
  const rootOf = (index: number): number => {
    let at = index
    for (let up = parents[at] ?? at; up !== at; up = parents[at] ?? at) {
      parents[at] = parents[up] ?? up
      at = up
    }
    return at
  }
  for (const [a, b] of edges) {
    const [low, high] = [rootOf(a), rootOf(b)].sort((x, y) => x - y)
    if (low !== undefined && high !== undefined) parents[high] = low
  }
  const groups = new Map<number, number[]>()
  for (let index = 0; index < count; index += 1) {
    const root = rootOf(index)
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [index])
    else group.push(index)
  }
  return [...groups.values()]
}
