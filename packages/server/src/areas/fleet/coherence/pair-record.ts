/** The pair score of two agents, in ten-thousandths. */
export type PairRecord = { agentA: string; agentB: string; scoreE4: number }

/** Older records do not count (spec: reputation §1). */
export const COUNTED_DAYS = 90

/**
 * The scores of all pairs of some agents, as the upper triangle of a matrix: first with second,
 * first with third, and so on. Null for a pair that was not compared.
 */
export type PairTable = { agentIds: readonly string[]; scores: readonly (number | null)[] }

/** Orders agents by id (code points). The last record of a pair wins. */
export function pairTable(pairs: readonly PairRecord[]): PairTable {
  const distinct = new Set<string>()
  for (const { agentA, agentB } of pairs) distinct.add(agentA).add(agentB)
  const agentIds = [...distinct].sort()
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

/** The pair score of an own agent with one of another organisation. */
export type SideRecord = { agentId: string; peerId: string; scoreE4: number }

/** The pairs of one own and one foreign agent, from the side of the own. The last record wins. */
export function sidesOf(pairs: readonly PairRecord[], own: ReadonlySet<string>): SideRecord[] {
  const sides = new Map<string, SideRecord>()
  for (const { agentA, agentB, scoreE4 } of pairs) {
    if (own.has(agentA) === own.has(agentB)) continue
    const [agentId, peerId] = own.has(agentA) ? [agentA, agentB] : [agentB, agentA]
    sides.set(`${agentId} ${peerId}`, { agentId, peerId, scoreE4 })
  }
  return [...sides.values()]
}

/** Index of the pair (a, b) in the upper triangle, with a < b. */
function indexOf(a: number, b: number, count: number): number {
  return (a * (2 * count - a - 1)) / 2 + (b - a - 1)
}
