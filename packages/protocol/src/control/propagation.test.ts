import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adjustmentPoints, compositeScore } from '../score/component-scores.ts'
import { compareCodePoints } from '../score/directory-order.ts'
import { CONTROL_VECTORS, followAll, toEdge } from './control.fixture.ts'
import {
  adjustmentE4,
  advanceReach,
  beginReach,
  PROPAGATION,
  TRUST_LEVELS,
  TRUSTERS_READ_MAX,
  type TrustEdge,
} from './propagation.ts'

const listed = CONTROL_VECTORS.propagation.filter((vector) => vector.edges !== undefined)
const ruled = CONTROL_VECTORS.propagation.filter((vector) => vector.edges === undefined)

describe('the vectors', () => {
  it.each(listed)('$id: which agents are reached, at which hop, and by how much', (vector) => {
    const { reached } = followAll(vector.source, (vector.edges ?? []).map(toEdge))
    const adjustments = reached.map(({ agentId, hop }) => ({
      agent_id: agentId,
      hop,
      adjustment: adjustmentE4(vector.delta, hop) / 10_000,
    }))
    expect(adjustments).toEqual(vector.expected.adjustments)
    expect(reached.length).toBe(vector.expected.agents_affected)
    expect(reached.at(-1)?.hop).toBe(vector.expected.max_depth)
    expect(PROPAGATION.decayFactor).toBe(vector.expected.decay_factor)
  })

  it.each(ruled)('$id: sixty trusters are limited to fifty, highest trust first', (vector) => {
    const edges = Array.from({ length: 60 }, (_, at): TrustEdge => {
      const n = at + 1
      return {
        sourceAgentId: `x${String(n).padStart(2, '0')}`,
        targetAgentId: vector.source,
        trustLevel: n <= 30 ? 'low' : n <= 50 ? 'medium' : 'high',
      }
    })
    const { reached } = followAll(vector.source, edges)
    expect(reached[0]?.agentId).toBe(vector.expected.order_first)
    expect(reached.at(-1)?.agentId).toBe(vector.expected.order_last)
    expect(reached.length).toBe(vector.expected.agents_affected)
    expect(reached.at(-1)?.hop).toBe(vector.expected.max_depth)
  })

  const neighbours = CONTROL_VECTORS.propagation.flatMap(({ id, delta, expected, neighbours }) =>
    (neighbours ?? []).map((one) => ({ id, delta, expected, ...one })),
  )
  it.each(neighbours)('$id: the score of $agent_id rises to $score_after', (vector) => {
    const { components } = vector
    const hop = vector.expected.adjustments?.find((one) => one.agent_id === vector.agent_id)?.hop
    const points = adjustmentPoints(adjustmentE4(vector.delta, hop ?? 0))
    const coherence = Math.min(1000, components.coherence_compatibility + points)
    expect(compositeScore(components)).toBe(vector.score_before)
    expect(coherence).toBe(vector.coherence_after)
    expect(compositeScore({ ...components, coherence_compatibility: coherence })).toBe(
      vector.score_after,
    )
  })
})

const agent = fc.integer({ min: 0, max: 90 }).map((n) => `a${n}`)
const edges: fc.Arbitrary<TrustEdge[]> = fc.array(
  fc.record({
    sourceAgentId: agent,
    targetAgentId: agent,
    trustLevel: fc.constantFrom(...TRUST_LEVELS),
  }),
  { maxLength: 400, size: 'max' },
)

/** All distances by definition, by relaxing every edge repeatedly. */
function distances(source: string, all: readonly TrustEdge[]): Map<string, number> {
  const found = new Map([[source, 0]])
  for (let round = 0; round < PROPAGATION.hopsMax; round += 1) {
    for (const { sourceAgentId, targetAgentId } of all) {
      const next = (found.get(targetAgentId) ?? Number.POSITIVE_INFINITY) + 1
      if (next < (found.get(sourceAgentId) ?? Number.POSITIVE_INFINITY)) {
        found.set(sourceAgentId, next)
      }
    }
  }
  return found
}

describe('advanceReach', () => {
  it('reaches each agent once at its smallest hop, even in a graph with cycles', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const { reached } = followAll('a0', all)
        const nearest = distances('a0', all)
        expect(new Set(reached.map(({ agentId }) => agentId)).size).toBe(reached.length)
        for (const { agentId, hop } of reached) {
          expect(agentId).not.toBe('a0')
          expect(hop).toBe(nearest.get(agentId))
        }
      }),
    )
  })

  it('reaches every agent within three hops, or exactly fifty, nearest first', () => {
    fc.assert(
      fc.property(edges, (all) => {
        const { reached } = followAll('a0', all)
        const near = [...distances('a0', all).values()].filter(
          (hops) => hops > 0 && hops <= PROPAGATION.hopsMax,
        )
        expect(reached.length).toBe(Math.min(near.length, PROPAGATION.agentsMax))
        const hops = near.sort((a, b) => a - b).slice(0, reached.length)
        expect(reached.map(({ hop }) => hop)).toEqual(hops)
      }),
    )
  })

  it('does not depend on the order of the edges', () => {
    const shuffled = edges.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, ([all, mixed]) => {
        expect(followAll('a0', mixed)).toEqual(followAll('a0', all))
      }),
    )
  })

  it('needs only the first trusters of each agent in order', () => {
    const wide = fc.array(
      fc.record({
        sourceAgentId: fc.integer({ min: 0, max: 400 }).map((n) => `a${n}`),
        targetAgentId: fc.integer({ min: 0, max: 3 }).map((n) => `a${n}`),
        trustLevel: fc.constantFrom(...TRUST_LEVELS),
      }),
      { maxLength: 600, size: 'max' },
    )
    fc.assert(
      fc.property(wide, (all) => {
        let reach = beginReach('a0')
        while (reach.frontier.length > 0) {
          const { frontier } = reach
          reach = advanceReach(
            reach,
            frontier.flatMap((target) => firstInto(target, all)),
          )
        }
        expect(reach).toEqual(followAll('a0', all))
      }),
    )
  })
})

/** The edges as an index returns them; a truster has one edge to each target. */
function firstInto(target: string, all: readonly TrustEdge[]): TrustEdge[] {
  const rank = ({ trustLevel }: TrustEdge) => TRUST_LEVELS.indexOf(trustLevel)
  const own = all
    .filter((edge) => edge.targetAgentId === target && edge.sourceAgentId !== target)
    .sort((a, b) => rank(a) - rank(b) || compareCodePoints(a.sourceAgentId, b.sourceAgentId))
  const first = new Map<string, TrustEdge>()
  for (const edge of own) {
    if (!first.has(edge.sourceAgentId)) first.set(edge.sourceAgentId, edge)
  }
  return [...first.values()].slice(0, TRUSTERS_READ_MAX)
}

describe('adjustmentE4', () => {
  it.each([
    [1, 1, 8500],
    [1, 3, 6141],
    [2, 3, 12_283],
    [1000, 3, 6_141_250],
  ])('%i points after %i hops are %i ten-thousandths, rounded half up', (...given) => {
    const [delta, hop, e4] = given
    expect(adjustmentE4(delta, hop)).toBe(e4)
  })

  it('decreases with each hop', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), (delta) => {
        const [one, two, three] = [1, 2, 3].map((hop) => adjustmentE4(delta, hop))
        expect([one, two, three]).toEqual([one, two, three].sort((a, b) => (b ?? 0) - (a ?? 0)))
        expect(three).toBeGreaterThan(0)
      }),
    )
  })
})
