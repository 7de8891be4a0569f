import { roundTo } from '../base/rounding.ts'
import { compareCodePoints } from '../score/directory-order.ts'
import {
  intersection,
  judgePair,
  type PairCounts,
  type ValueHolder,
  type ValueSets,
  valueSets,
} from './coherence.ts'
import { connectedComponents } from './connected-components.ts'
import { type Divergences, valueDivergences } from './divergence.ts'
import { divide, E4 } from './fixed-point.ts'

export type FleetPair = {
  agentA: string
  agentB: string
  scoreE4: number
  compatible: boolean
  /** A count, like the conflicts. */
  matched: number
  conflicts: number
}

export type FleetAgent = {
  agentId: string
  meanScoreE4: number
  compatibleCount: number
  conflictCount: number
  clusterId: number
  isOutlier: boolean
}

export type FleetOutlier = {
  agentId: string
  agentMeanScoreE4: number
  fleetMeanScoreE4: number
  /** In standard deviations below the mean of the agents' means; four decimals. */
  deviation: number
  primaryConflicts: readonly string[]
}

export type FleetCluster = {
  clusterId: number
  agentIds: readonly string[]
  internalCoherenceE4: number
  sharedValues: readonly string[]
  distinguishingValues: readonly string[]
}

export type FleetCoherence = Divergences & {
  fleetScoreE4: number
  minPairScoreE4: number
  maxPairScoreE4: number
  /** In order of the first agent, then of the second. */
  pairs: readonly FleetPair[]
  agents: readonly FleetAgent[]
  outliers: readonly FleetOutlier[]
  clusters: readonly FleetCluster[]
}

/** The coherence of two or more agents with cards; every list is in order of agent ids. */
export function fleetCoherence(holders: readonly ValueHolder[]): FleetCoherence {
  const fleet = toFleet(holders)
  const comparison = compareAll(fleet)
  const clusters = clustersOf(fleet, comparison)
  const clusterIds = new Map(
    clusters.flatMap(({ clusterId, agentIds }) => agentIds.map((id) => [id, clusterId] as const)),
  )
  const outliers = outliersOf(fleet, comparison)
  const outlying = new Set(outliers.map(({ agentId }) => agentId))
  const scores = comparison.pairs.map(({ scoreE4 }) => scoreE4)
  return {
    fleetScoreE4: fleetScore(comparison),
    minPairScoreE4: Math.min(...scores),
    maxPairScoreE4: Math.max(...scores),
    pairs: comparison.pairs,
    agents: fleet.map(({ agentId }, at) => ({
      agentId,
      meanScoreE4: divide(comparison.sums[at] ?? 0, fleet.length - 1),
      compatibleCount: comparison.compatible[at] ?? 0,
      conflictCount: comparison.conflicts[at] ?? 0,
      clusterId: clusterIds.get(agentId) ?? 0,
      isOutlier: outlying.has(agentId),
    })),
    outliers,
    clusters,
    ...valueDivergences(fleet),
  }
}

/** Only the pair scores and their mean. */
export function fleetPairs(
  holders: readonly ValueHolder[],
): Pick<FleetCoherence, 'fleetScoreE4' | 'pairs'> {
  const comparison = compareAll(toFleet(holders))
  return { fleetScoreE4: fleetScore(comparison), pairs: comparison.pairs }
}

type Member = ValueHolder & { sets: ValueSets; bits: ValueBits }

function toFleet(holders: readonly ValueHolder[]): Member[] {
  if (holders.length < 2) throw new RangeError('a fleet must have at least two agents')
  const ordered = holders.toSorted((a, b) => compareCodePoints(a.agentId, b.agentId))
  const bitsOf = valueBits(ordered)
  return ordered.map((holder) => ({
    ...holder,
    sets: valueSets(holder),
    bits: bitsOf(holder),
  }))
}

/** All pairs, and the sums over each agent's pairs, by index. */
type Comparison = {
  pairs: FleetPair[]
  edges: [number, number][]
  sums: Float64Array
  compatible: Float64Array
  conflicts: Float64Array
}

/** Plain loops, because a fleet of 200 has 19,900 pairs. */
function compareAll(fleet: readonly Member[]): Comparison {
  const zeros = () => new Float64Array(fleet.length)
  const comparison: Comparison = {
    pairs: [],
    edges: [],
    sums: zeros(),
    compatible: zeros(),
    conflicts: zeros(),
  }
  for (const [i, a] of fleet.entries()) {
    for (let j = i + 1; j < fleet.length; j += 1) {
      const b = fleet[j]
      if (b === undefined) continue
      const pair = comparePair(a, b)
      comparison.pairs.push(pair)
      if (pair.compatible) comparison.edges.push([i, j])
      addPair(comparison, i, pair)
      addPair(comparison, j, pair)
    }
  }
  return comparison
}

/** Bit sets with one bit per declared value. */
type ValueBits = { declared: Uint32Array; opposed: Uint32Array }

/** Bit sets, because sets of strings would be searched a million times. */
function valueBits(fleet: readonly ValueHolder[]): (holder: ValueHolder) => ValueBits {
  const places = new Map<string, number>()
  for (const { declared } of fleet) {
    for (const value of declared) if (!places.has(value)) places.set(value, places.size)
  }
  const toBits = (values: readonly string[]): Uint32Array => {
    const bits = new Uint32Array(Math.ceil(places.size / 32))
    for (const value of values) {
      const place = places.get(value)
      if (place === undefined) continue
      const word = place >>> 5
      bits[word] = (bits[word] ?? 0) | (1 << (place & 31))
    }
    return bits
  }
  return ({ declared, conflictsWith }) => ({
    declared: toBits(declared),
    opposed: toBits(conflictsWith),
  })
}

/** The counts over all values that either declares. */
function countBits(a: Member, b: Member): PairCounts {
  const matched = countCommonBits(a.bits.declared, b.bits.declared)
  return {
    matched,
    of: a.sets.declared.size + b.sets.declared.size - matched,
    conflicts:
      countCommonBits(a.bits.declared, b.bits.opposed) +
      countCommonBits(b.bits.declared, a.bits.opposed),
  }
}

function countCommonBits(a: Uint32Array, b: Uint32Array): number {
  let common = 0
  for (let word = 0; word < a.length; word += 1) {
    common += bitCount((a[word] ?? 0) & (b[word] ?? 0))
  }
  return common
}

/** Population count: adds neighbouring bits, then pairs, then fours; the product adds the bytes. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function comparePair(a: Member, b: Member): FleetPair {
  const counts = countBits(a, b)
  const { scoreE4, compatible } = judgePair(counts)
  const { matched, conflicts } = counts
  return { agentA: a.agentId, agentB: b.agentId, scoreE4, compatible, matched, conflicts }
}

function addPair(
  comparison: Comparison,
  at: number,
  { scoreE4, compatible, conflicts }: FleetPair,
): void {
  comparison.sums[at] = (comparison.sums[at] ?? 0) + scoreE4
  comparison.conflicts[at] = (comparison.conflicts[at] ?? 0) + conflicts
  if (compatible) comparison.compatible[at] = (comparison.compatible[at] ?? 0) + 1
}

function fleetScore({ pairs }: Comparison): number {
  return divide(
    pairs.reduce((sum, { scoreE4 }) => sum + scoreE4, 0),
    pairs.length,
  )
}

/** One standard deviation or more below the others; requires at least three agents. */
function outliersOf(fleet: readonly Member[], comparison: Comparison): FleetOutlier[] {
  const n = fleet.length
  if (n < 3) return []
  const total = comparison.sums.reduce((sum, own) => sum + own, 0)
  // The distances below the mean, in a common unit that keeps them exact.
  const below = Array.from(comparison.sums, (own) => BigInt(total - n * own))
  const squares = below.reduce((sum, own) => sum + own * own, 0n)
  const spread = Math.sqrt(Number(squares) / n)
  return fleet.flatMap((agent, at) => {
    const own = below[at] ?? 0n
    if (own <= 0n || BigInt(n) * own * own < squares) return []
    return {
      agentId: agent.agentId,
      agentMeanScoreE4: divide(comparison.sums[at] ?? 0, n - 1),
      fleetMeanScoreE4: divide(total, n * (n - 1)),
      deviation: roundTo(Number(own) / spread, 4),
      primaryConflicts: conflictingValues(agent, fleet),
    }
  })
}

/** Values that the agent declares and others oppose, and vice versa. */
function conflictingValues(agent: Member, fleet: readonly Member[]): string[] {
  const values = fleet
    .filter((other) => other !== agent)
    .flatMap(({ sets }) => [
      ...intersection(agent.sets.declared, sets.opposed),
      ...intersection(sets.declared, agent.sets.opposed),
    ])
  return [...new Set(values)].sort(compareCodePoints)
}

function clustersOf(fleet: readonly Member[], comparison: Comparison): FleetCluster[] {
  const components = connectedComponents(fleet.length, comparison.edges)
  const clusterAt = new Map(
    components.flatMap((component, id) => component.map((at) => [fleet[at]?.agentId, id] as const)),
  )
  const sums = components.map(() => 0)
  for (const { agentA, agentB, scoreE4 } of comparison.pairs) {
    const id = clusterAt.get(agentA)
    if (id !== undefined && id === clusterAt.get(agentB)) sums[id] = (sums[id] ?? 0) + scoreE4
  }
  return components.map((component, clusterId) => {
    const inside = fleet.filter((_, at) => component.includes(at))
    const outside = fleet.filter((_, at) => !component.includes(at))
    const pairCount = (inside.length * (inside.length - 1)) / 2
    const sharedValues = [...(inside[0]?.sets.declared ?? [])]
      .filter((value) => inside.every(({ sets }) => sets.declared.has(value)))
      .sort(compareCodePoints)
    return {
      clusterId,
      agentIds: inside.map(({ agentId }) => agentId),
      internalCoherenceE4: pairCount === 0 ? E4 : divide(sums[clusterId] ?? 0, pairCount),
      sharedValues,
      distinguishingValues: sharedValues.filter((value) =>
        outside.every(({ sets }) => !sets.declared.has(value)),
      ),
    }
  })
}
