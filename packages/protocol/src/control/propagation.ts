import { compareCodePoints } from '../score/directory-order.ts'

/** Strongest first; the level only affects the order. */
export const TRUST_LEVELS = ['high', 'medium', 'low'] as const

export type TrustLevel = (typeof TRUST_LEVELS)[number]

/** How a correction propagates to agents that trust the corrected one (spec: interface, Limits). */
export const PROPAGATION = { decayFactor: 0.85, hopsMax: 3, agentsMax: 50 } as const

/** The source trusts the target. */
export type TrustEdge = { sourceAgentId: string; targetAgentId: string; trustLevel: TrustLevel }

export type ReachedAgent = { agentId: string; hop: number }

/**
 * The state of following one agent's correction. It advances hop by hop, so that a store reads only
 * the edges into the frontier, and at most `TRUSTERS_READ_MAX` edges into a hub.
 */
export type Reach = {
  sourceAgentId: string
  /** In the order in which they were reached. */
  reached: readonly ReachedAgent[]
  /** The agents whose trusters come next; empty when finished. */
  frontier: readonly string[]
}

export function beginReach(sourceAgentId: string): Reach {
  return { sourceAgentId, reached: [], frontier: [sourceAgentId] }
}

/**
 * The number of edges to read into each frontier agent, in order. No more are needed, because the
 * source, the agents already reached and those that can still be reached are at most this many.
 */
export const TRUSTERS_READ_MAX = PROPAGATION.agentsMax + 1

/** Advances by one hop. Edges may come in any order and may include others than those requested. */
export function advanceReach(reach: Reach, edges: readonly TrustEdge[]): Reach {
  const { sourceAgentId, reached, frontier } = reach
  const hop = (reached.at(-1)?.hop ?? 0) + 1
  const seen = new Set([sourceAgentId, ...reached.map(({ agentId }) => agentId)])
  const found = inOrder(frontier, edges)
    .map((edge) => edge.sourceAgentId)
    .filter((agentId) => !seen.has(agentId))
  const added = [...new Set(found)].slice(0, PROPAGATION.agentsMax - reached.length)
  const all = [...reached, ...added.map((agentId) => ({ agentId, hop }))]
  const finished = hop >= PROPAGATION.hopsMax || all.length >= PROPAGATION.agentsMax
  return { sourceAgentId, reached: all, frontier: finished ? [] : added }
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

/** 0.85 as a fraction of integers, so that the result is exact. */
const DECAY = { of: 17, in: 20 }
const E4 = 10_000

/** The value of a correction of `delta` points after `hop` hops, in ten-thousandths. */
export function adjustmentE4(delta: number, hop: number): number {
  return Math.floor((2 * E4 * delta * DECAY.of ** hop + DECAY.in ** hop) / (2 * DECAY.in ** hop))
}
