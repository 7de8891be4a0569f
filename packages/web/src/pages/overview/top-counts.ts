import type { Decision } from '../decisions/queries.ts'

const SHOWN_MAX = 6

/** The largest counts first; equal ones by name. */
export function topOf(counts: Readonly<Record<string, number>>): { key: string; count: number }[] {
  return Object.entries(counts)
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .slice(0, SHOWN_MAX)
}

/** The number of decisions by the message of the rule that decided them. */
export function countRules(
  decisions: readonly Pick<Decision, 'reasons'>[],
): Record<string, number> {
  const counts: Record<string, number> = Object.create(null)
  for (const { reasons } of decisions) {
    const message = reasons[0]?.message ?? 'Without a reason'
    counts[message] = (counts[message] ?? 0) + 1
  }
  return counts
}
