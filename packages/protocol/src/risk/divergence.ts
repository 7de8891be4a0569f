import { compareCodePoints } from '../directory-order.ts'
import type { ValueHolder } from './coherence.ts'
import { divide, E4 } from './fixed-point.ts'

/** A value that not all declare, or that some oppose. Ids are in order. */
export type ValueDivergence = {
  value: string
  declaring: readonly string[]
  /** Those who oppose a value are missing too. */
  missing: readonly string[]
  conflicting: readonly string[]
  impactE4: number
}

/** Over the declared values; the largest impact first, then by value. */
export function valueDivergences(agents: readonly ValueHolder[]): ValueDivergence[] {
  const ordered = agents.toSorted((a, b) => compareCodePoints(a.agentId, b.agentId))
  const declaring = agentsByValue(ordered, ({ declared }) => declared)
  const opposing = agentsByValue(ordered, ({ conflictsWith }) => conflictsWith)
  const divergences: ValueDivergence[] = []
  for (const [value, agentIds] of declaring) {
    const conflicting = [...(opposing.get(value) ?? [])]
    if (agentIds.size === ordered.length && conflicting.length === 0) continue
    const missing = ordered.map(({ agentId }) => agentId).filter((id) => !agentIds.has(id))
    const impactE4 = Math.min(E4, divide(E4 * (missing.length + conflicting.length), agents.length))
    divergences.push({ value, declaring: [...agentIds], missing, conflicting, impactE4 })
  }
  return divergences.sort((a, b) => b.impactE4 - a.impactE4 || compareCodePoints(a.value, b.value))
}

function agentsByValue(
  agents: readonly ValueHolder[],
  valuesOf: (agent: ValueHolder) => readonly string[],
): Map<string, Set<string>> {
  const holders = new Map<string, Set<string>>()
  for (const agent of agents) {
    for (const value of valuesOf(agent)) {
      const known = holders.get(value)
      if (known === undefined) holders.set(value, new Set([agent.agentId]))
      else known.add(agent.agentId)
    }
  }
  return holders
}
