import { compareCodePoints } from '../score/directory-order.ts'

/** The part of an agent's active card that coherence needs. */
export type ValueHolder = {
  agentId: string
  declared: readonly string[]
  conflictsWith: readonly string[]
}

export type ValueConflict = { declaredBy: string; opposedBy: string; value: string }

export type PairCoherence = {
  scoreE4: number
  compatible: boolean
  matched: readonly string[]
  unmatched: readonly string[]
  conflicts: readonly ValueConflict[]
}

/** Two agents are compatible from this score on, unless they have a conflict. */
const COMPATIBLE_E4_MIN = 7000

/** How far two cards agree on the required values, or on all that either declares. */
export function pairCoherence(
  a: ValueHolder,
  b: ValueHolder,
  requiredValues?: readonly string[],
): PairCoherence {
  const required = new Set(requiredValues ?? [...a.declared, ...b.declared])
  const shared = intersection(new Set(a.declared), new Set(b.declared))
  const values = [...required].sort(compareCodePoints)
  const matched = values.filter((value) => shared.has(value))
  const conflicts = [...conflictsOf(a, b), ...conflictsOf(b, a)].sort(
    (x, y) => compareCodePoints(x.declaredBy, y.declaredBy) || compareCodePoints(x.value, y.value),
  )
  const counts = { matched: matched.length, of: values.length, conflicts: conflicts.length }
  return {
    ...judgePair(counts),
    matched,
    unmatched: values.filter((value) => !shared.has(value)),
    conflicts,
  }
}

/** The matched values, out of how many, and the conflicts in both directions. */
export type PairCounts = { matched: number; of: number; conflicts: number }

/** The share of matched values minus half of the share of conflicts, rounded half up. */
export function judgePair(counts: PairCounts): { scoreE4: number; compatible: boolean } {
  const { matched, conflicts } = counts
  const of = Math.max(1, counts.of)
  const scoreE4 =
    conflicts >= 2 * of
      ? 0
      : Math.floor((10_000 * matched * (2 * of - conflicts) + of * of) / (2 * of * of))
  return { scoreE4, compatible: conflicts === 0 && scoreE4 >= COMPATIBLE_E4_MIN }
}

export type ValueSets = { declared: ReadonlySet<string>; opposed: ReadonlySet<string> }

export function valueSets({ declared, conflictsWith }: Omit<ValueHolder, 'agentId'>): ValueSets {
  return { declared: new Set(declared), opposed: new Set(conflictsWith) }
}

/**
 * The counts over all values that either declares. Fast, because a fleet has thousands of pairs.
 */
export function countPair(a: ValueSets, b: ValueSets): PairCounts {
  const matched = countCommon(a.declared, b.declared)
  return {
    matched,
    of: a.declared.size + b.declared.size - matched,
    conflicts: countCommon(a.declared, b.opposed) + countCommon(b.declared, a.opposed),
  }
}

export function countCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  if (b.size === 0) return common
  for (const value of a) if (b.has(value)) common += 1
  return common
}

export function intersection(a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> {
  return new Set([...a].filter((value) => b.has(value)))
}

function conflictsOf(declaring: ValueHolder, opposing: ValueHolder): ValueConflict[] {
  const shared = intersection(new Set(declaring.declared), new Set(opposing.conflictsWith))
  return [...shared].map((value) => ({
    declaredBy: declaring.agentId,
    opposedBy: opposing.agentId,
    value,
  }))
}
