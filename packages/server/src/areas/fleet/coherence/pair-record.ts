/** What two agents were found to be to each other. */
export type PairRecord = { agentA: string; agentB: string; scoreE4: number }

/** Records older than this count no more (01 §7.1). */
export const COUNTED_DAYS = 90

/**
 * The scores of all pairs of some agents: first with second, first with third, and so on. Whoever
 * compares, compares all with all, so this says it shortest. Null where two were not compared.
 */
export type PairTable = { agentIds: readonly string[]; scores: readonly (number | null)[] }

/** By id, which for ASCII is the order of code points; of a pair named twice the last counts. */
export function pairTable(pairs: readonly PairRecord[]): PairTable {
  const named = new Set<string>()
  for (const { agentA, agentB } of pairs) named.add(agentA).add(agentB)
  const agentIds = [...named].sort()
  const places = new Map(agentIds.map((agentId, place) => [agentId, place]))
  const count = agentIds.length
  const scores = new Array<number | null>((count * (count - 1)) / 2).fill(null)
  for (const { agentA, agentB, scoreE4 } of pairs) {
    const a = places.get(agentA) ?? 0
    const b = places.get(agentB) ?? 0
    if (a !== b) scores[indexOf(Math.min(a, b), Math.max(a, b), count)] = scoreE4
  }
  return { agentIds, scores }
}

/** Where the pair of two places stands, the smaller first. */
function indexOf(a: number, b: number, count: number): number {
  return (a * (2 * count - a - 1)) / 2 + (b - a - 1)
}
