export const DIRECTORY_SORTS = ['score', 'name', 'trend', 'checkpoints', 'assurance'] as const
export type DirectorySort = (typeof DIRECTORY_SORTS)[number]

export type DirectoryRank = {
  agentId: string
  name: string
  score: number
  trend30d: number
  checkpointCount: number
  /** Null counts as below level 0. */
  assurance: number | null
}

/** A comparator: names ascending, numbers descending; ties by score, then by id. */
export function directoryOrder(
  sort: DirectorySort,
): (a: DirectoryRank, b: DirectoryRank) => number {
  const first = FIRST[sort]
  return (a, b) => first(a, b) || b.score - a.score || compareCodePoints(a.agentId, b.agentId)
}

const FIRST: Record<DirectorySort, (a: DirectoryRank, b: DirectoryRank) => number> = {
  score: (a, b) => b.score - a.score,
  name: (a, b) => compareCodePoints(a.name.toLowerCase(), b.name.toLowerCase()),
  trend: (a, b) => b.trend30d - a.trend30d,
  checkpoints: (a, b) => b.checkpointCount - a.checkpointCount,
  assurance: (a, b) => (b.assurance ?? -1) - (a.assurance ?? -1),
}

/**
 * Compares as UTF-8 sorts; JavaScript's default order puts part of the Basic Multilingual Plane
 * last.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rankOf(left) - rankOf(right)
  }
  return a.length - b.length
}

/** A surrogate stands for a code point above all those encoded without surrogates. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
