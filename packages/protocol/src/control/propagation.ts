import { compareCodePoints } from '../score/directory-order.ts'

/** Strongest first; a level changes only who comes first. */
export const TRUST_LEVELS = ['high', 'medium', 'low'] as const

export type TrustLevel = (typeof TRUST_LEVELS)[number]

/** How a correction reaches those who trust (interface, Limits). */
export const PROPAGATION = { decayFactor: 0.85, hopsMax: 3, agentsMax: 50 } as const

/** The source trusts the target. */
export type TrustEdge = { sourceAgentId: string; targetAgentId: string; trustLevel: TrustLevel }

export type ReachedAgent = { agentId: string; hop: number }

/**
 * How far a correction of one agent has been followed. It goes hop by hop, so that whoever keeps
 * the edges reads only those into the frontier, and of a hub no more than `TRUSTERS_READ_MAX` of them.
 */
export type Reach = {
  sourceAgentId: string
  /** In the order they were reached. */
  reached: readonly ReachedAgent[]
  /** Whose trusters come next; empty when it is over. */
  frontier: readonly string[]
}

export function beginReach(sourceAgentId: string): Reach {
  return { sourceAgentId, reached: [], frontier: [sourceAgentId] }
}

/**
 * So many edges into each agent of the frontier, the first in order, are enough: whoever was
 * reached before takes the place of one who is still to be reached.
 */
export const TRUSTERS_READ_MAX = PROPAGATION.agentsMax + 1

/** One hop further. The edges may come in any order and may hold others than those asked for. */
export function advanceReach(reach: Reach, edges: readonly TrustEdge[]): Reach {
  const { sourceAgentId, reached, frontier } = reach
  const hop = (reached.at(-1)?.hop ?? 0) + 1
  const seen = new Set([sourceAgentId, ...reached.map(({ agentId }) => agentId)])
  const found = inOrder(frontier, edges)
    .map((edge) => edge.sourceAgentId)
    .filter((agentId) => !seen.has(agentId))
  const added = [...new Set(found)].slice(0, PROPAGATION.agentsMax - reached.length)
  const all = [...reached, ...added.map((agentId) => ({ agentId, hop }))]
  const over = hop >= PROPAGATION.hopsMax || all.length >= PROPAGATION.agentsMax
  return { sourceAgentId, reached: all, frontier: over ? [] : added }
}

function inOrder(frontier: readonly string[], edges: readonly TrustEdge[]): TrustEdge[] {
  const places = new Map(frontier.map((agentId, place) => [agentId, place]))
  const placeOf = (edge: TrustEdge) => places.get(edge.targetAgentId) ?? 0
  return edges
    .filter(({ targetAgentId }) => places.has(targetAgentId))
    .sort(
      (a, b) =>
        placeOf(a) - placeOf(b) ||
        TRUST_LEVELS.indexOf(a.trustLevel) - TRUST_LEVELS.indexOf(b.trustLevel) ||
        compareCodePoints(a.sourceAgentId, b.sourceAgentId),
    )
}

/** 0.85 as a fraction of whole numbers, so that points are exact. */
const DECAY = { of: 17, in: 20 }
const E4 = 10_000

/** What so many points of a correction are worth that many hops away, in ten-thousandths. */
export function adjustmentE4(delta: number, hop: number): number {
  return Math.floor((2 * E4 * delta * DECAY.of ** hop + DECAY.in ** hop) / (2 * DECAY.in ** hop))
}
