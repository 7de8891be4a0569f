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
import { connectedComponents } from './connected.ts'
import { type Divergences, valueDivergences } from './divergence.ts'
import { divide, E4 } from './fixed-point.ts'

export type FleetPair = {
  agentA: string
  agentB: string
  scoreE4: number
  compatible: boolean
  /** How many, as with the conflicts. */
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

/** How well two or more agents with cards go together; every list is in order of agent ids. */
export function fleetCoherence(holders: readonly ValueHolder[]): FleetCoherence {
  const fleet = toFleet(holders)
  const met = meetAll(fleet)
  const clusters = clustersOf(fleet, met)
  const clusterIds = new Map(
    clusters.flatMap(({ clusterId, agentIds }) => agentIds.map((id) => [id, clusterId] as const)),
  )
  const outliers = outliersOf(fleet, met)
  const outlying = new Set(outliers.map(({ agentId }) => agentId))
  const scores = met.pairs.map(({ scoreE4 }) => scoreE4)
  return {
    fleetScoreE4: fleetScore(met),
    minPairScoreE4: Math.min(...scores),
    maxPairScoreE4: Math.max(...scores),
    pairs: met.pairs,
    agents: fleet.map(({ agentId }, at) => ({
      agentId,
      meanScoreE4: divide(met.sums[at] ?? 0, fleet.length - 1),
      compatibleCount: met.compatible[at] ?? 0,
      conflictCount: met.conflicts[at] ?? 0,
      clusterId: clusterIds.get(agentId) ?? 0,
      isOutlier: outlying.has(agentId),
    })),
    outliers,
    clusters,
    ...valueDivergences(fleet),
  }
}

/** Only how each two go together, and all of them. */
export function fleetPairs(
  holders: readonly ValueHolder[],
): Pick<FleetCoherence, 'fleetScoreE4' | 'pairs'> {
  const met = meetAll(toFleet(holders))
  return { fleetScoreE4: fleetScore(met), pairs: met.pairs }
}

type Member = ValueHolder & { sets: ValueSets; bits: ValueBits }

function toFleet(holders: readonly ValueHolder[]): Member[] {
  if (holders.length < 2) throw new RangeError('a fleet has at least two agents')
  const ordered = holders.toSorted((a, b) => compareCodePoints(a.agentId, b.agentId))
  const bitsOf = valueBits(ordered)
  return ordered.map((holder) => ({
    ...holder,
    sets: valueSets(holder),
    bits: bitsOf(holder),
  }))
}

/** All pairs, and per agent, by index, the sums over its pairs. */
type Met = {
  pairs: FleetPair[]
  edges: [number, number][]
  sums: Float64Array
  compatible: Float64Array
  conflicts: Float64Array
}

/** Plain loops, because a fleet of 200 has 19900 pairs. */
function meetAll(fleet: readonly Member[]): Met {
  const zeros = () => new Float64Array(fleet.length)
  const met: Met = {
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
      const pair = meet(a, b)
      met.pairs.push(pair)
      if (pair.compatible) met.edges.push([i, j])
      note(met, i, pair)
      note(met, j, pair)
    }
  }
  return met
}

/** A bit for each value that anybody declares. */
type ValueBits = { declared: Uint32Array; opposed: Uint32Array }

/** Sets of words would be looked at a million times. */
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

/** The counts over all that either declares. */
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

/** Adds neighbouring bits, then pairs, then fours; the product adds the bytes. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function meet(a: Member, b: Member): FleetPair {
  const counts = countBits(a, b)
  const { scoreE4, compatible } = judgePair(counts)
  const { matched, conflicts } = counts
  return { agentA: a.agentId, agentB: b.agentId, scoreE4, compatible, matched, conflicts }
}

function note(met: Met, at: number, { scoreE4, compatible, conflicts }: FleetPair): void {
  met.sums[at] = (met.sums[at] ?? 0) + scoreE4
  met.conflicts[at] = (met.conflicts[at] ?? 0) + conflicts
  if (compatible) met.compatible[at] = (met.compatible[at] ?? 0) + 1
}

function fleetScore({ pairs }: Met): number {
  return divide(
    pairs.reduce((sum, { scoreE4 }) => sum + scoreE4, 0),
    pairs.length,
  )
}

/** One standard deviation or more below the others; two agents cannot outlie each other. */
function outliersOf(fleet: readonly Member[], met: Met): FleetOutlier[] {
  const n = fleet.length
  if (n < 3) return []
  const total = met.sums.reduce((sum, own) => sum + own, 0)
  // The distances below the mean, all in the same unit, in which they are exact.
  const below = Array.from(met.sums, (own) => BigInt(total - n * own))
  const squares = below.reduce((sum, own) => sum + own * own, 0n)
  const spread = Math.sqrt(Number(squares) / n)
  return fleet.flatMap((agent, at) => {
    const own = below[at] ?? 0n
    if (own <= 0n || BigInt(n) * own * own < squares) return []
    return {
      agentId: agent.agentId,
      agentMeanScoreE4: divide(met.sums[at] ?? 0, n - 1),
      fleetMeanScoreE4: divide(total, n * (n - 1)),
      deviation: roundTo(Number(own) / spread, 4),
      primaryConflicts: conflictingValues(agent, fleet),
    }
  })
}

/** The values it declares that others oppose, and those of others that it opposes. */
function conflictingValues(agent: Member, fleet: readonly Member[]): string[] {
  const values = fleet
    .filter((other) => other !== agent)
    .flatMap(({ sets }) => [
      ...intersection(agent.sets.declared, sets.opposed),
      ...intersection(sets.declared, agent.sets.opposed),
    ])
  return [...new Set(values)].sort(compareCodePoints)
}

function clustersOf(fleet: readonly Member[], met: Met): FleetCluster[] {
  const components = connectedComponents(fleet.length, met.edges)
  const clusterAt = new Map(
    components.flatMap((component, id) => component.map((at) => [fleet[at]?.agentId, id] as const)),
  )
  const sums = components.map(() => 0)
  for (const { agentA, agentB, scoreE4 } of met.pairs) {
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
