import { compareCodePoints } from '../score/directory-order.ts'
import type { ValueHolder } from './coherence.ts'
import { divide, E4 } from './fixed-point.ts'

/** The agents' positions on a value that some of them declare. Ids are in order. */
export type ValueStance = {
  value: string
  declaring: readonly string[]
  /** Includes agents that oppose the value. */
  missing: readonly string[]
  conflicting: readonly string[]
}

/** A value that not all agents declare, or that some oppose. */
export type ValueDivergence = ValueStance & { impactE4: number }

/**
 * Limits the list: each entry names every agent, so 200 agents with 10,000 values would give 90 MB.
 */
export const DIVERGENCES_MAX = 100

export type Divergences = {
  /** The first `DIVERGENCES_MAX` of them. */
  divergences: readonly ValueDivergence[]
  /** The number of all divergences. */
  divergenceCount: number
}

/** Over the declared values, largest impact first, then by value. */
export function valueDivergences(agents: readonly ValueHolder[]): Divergences {
  const divided = valueStances(agents)
    .filter(isDivided)
    .map((stance) => ({ ...stance, impactE4: divisionE4(stance, agents.length) }))
    .sort((a, b) => b.impactE4 - a.impactE4 || compareCodePoints(a.value, b.value))
  return { divergences: divided.slice(0, DIVERGENCES_MAX), divergenceCount: divided.length }
}

/**
 * The positions on every declared value, in order of first occurrence. Values declared by the same
 * agents share their lists, because a large team has thousands of values.
 */
export function valueStances(agents: readonly ValueHolder[]): ValueStance[] {
  const ordered = agents.toSorted((a, b) => compareCodePoints(a.agentId, b.agentId))
  const ids = ordered.map(({ agentId }) => agentId)
  const declaring = agentsByValue(ordered, ({ declared }) => declared)
  const opposing = agentsByValue(ordered, ({ conflictsWith }) => conflictsWith)
  const sides = new Map<string, Pick<ValueStance, 'declaring' | 'missing'>>()
  return [...declaring].map(([value, agentIds]) => {
    const key = JSON.stringify([...agentIds])
    const known = sides.get(key)
    const side = known ?? {
      declaring: [...agentIds],
      missing: ids.filter((id) => !agentIds.has(id)),
    }
    if (known === undefined) sides.set(key, side)
    return { value, ...side, conflicting: [...(opposing.get(value) ?? [])] }
  })
}

export function isDivided({ missing, conflicting }: ValueStance): boolean {
  return missing.length + conflicting.length > 0
}

function divisionE4({ missing, conflicting }: ValueStance, agentCount: number): number {
  return Math.min(E4, divide(E4 * (missing.length + conflicting.length), agentCount))
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
