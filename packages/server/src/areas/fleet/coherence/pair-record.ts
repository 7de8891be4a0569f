/** What two agents were found to be to each other; the smaller id comes first. */
export type PairRecord = { agentA: string; agentB: string; scoreE4: number }

/** Records older than this count no more (01 §7.1). */
export const COUNTED_DAYS = 90

/** One per pair, the last one said, in one order for all who write. */
export function orderedRecords(pairs: readonly PairRecord[]): PairRecord[] {
  const byKey = new Map(
    pairs.map((pair) => {
      const ordered =
        pair.agentA < pair.agentB ? pair : { ...pair, agentA: pair.agentB, agentB: pair.agentA }
      return [`${ordered.agentA} ${ordered.agentB}`, ordered] as const
    }),
  )
  return [...byKey.values()].sort(
    (x, y) => compare(x.agentA, y.agentA) || compare(x.agentB, y.agentB),
  )
}

/** Ids are ASCII, so their code units have the order of their code points. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
