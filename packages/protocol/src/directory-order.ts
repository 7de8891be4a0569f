export const DIRECTORY_SORTS = ['score', 'name', 'trend', 'checkpoints'] as const
export type DirectorySort = (typeof DIRECTORY_SORTS)[number]

export type DirectoryRank = {
  agentId: string
  name: string
  score: number
  trend30d: number
  checkpointCount: number
}

/** For sorting: names ascending, numbers descending; equal ones by score, then by id. */
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
}

/** As UTF-8 sorts; JavaScript's own order puts some of the Basic Multilingual Plane last. */
function compareCodePoints(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  const at = left.findIndex((character, i) => character !== right[i])
  if (at === -1) return left.length - right.length
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1)
}
