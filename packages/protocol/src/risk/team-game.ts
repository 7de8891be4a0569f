import { isqrt, MICRO, tailWeight } from './fixed-point.ts'

export const COORDINATION_MODES = ['parallel', 'sequential', 'hierarchical', 'consensus'] as const
export type CoordinationMode = (typeof COORDINATION_MODES)[number]

/** The inputs of the game, by member index; members are in order of ids. */
export type TeamParts = {
  /** The risk of each member, in e4. */
  risks: readonly number[]
  reputations: readonly number[]
  /** The compatibility of two members, in e4. */
  pairE4: (i: number, j: number) => number
  /** How far a failure of one member reaches another, in percent. */
  reachPercent: (from: number, to: number) => number
  /** The compatibility of each member with the team's card, in e4. */
  mission: readonly number[] | null
}

/** Micro units. */
export type Pillars = {
  /** The members' own risk, weighted towards the worst. */
  aggregateRisk: number
  coherence: number
  structuralRisk: number
  /** The quality of the team, which Shapley values distribute. */
  teamCoherence: number
}

/**
 * A set of members that grows one by one, so that evaluating a whole permutation takes one pass.
 */
export type Coalition = {
  clear: () => void
  add: (member: number) => void
  pillars: () => Pillars
  /** The team coherence alone; 0 for the empty set. */
  value: () => number
}

export type TeamGame = {
  size: number
  /** The damage that a failure of one member does to another, in micro units. */
  damage: (from: number, to: number) => number
  coalition: () => Coalition
  /** The pillars of the whole team. */
  pillars: () => Pillars
}

/** How far a failure reaches, by the order in which the members are named. */
export function reachOf(
  mode: CoordinationMode | null,
  { from, to }: { from: number; to: number },
): number {
  switch (mode) {
    case 'parallel':
      return 50
    case 'sequential':
      return from < to ? 100 : 25
    case 'hierarchical':
      if (from === 0) return 100
      return to === 0 ? 50 : 25
    default:
      return 100
  }
}

export function createTeamGame(parts: TeamParts): TeamGame {
  const table = tabulate(parts)
  return {
    size: table.size,
    damage: (from, to) => table.damages[from * table.size + to] ?? 0,
    coalition: () => createCoalition(table),
    pillars: () => {
      const all = createCoalition(table)
      for (let member = 0; member < table.size; member += 1) all.add(member)
      return all.pillars()
    },
  }
}

/** Flat tables in row-major order, because sampling reads them many millions of times. */
type Table = {
  size: number
  risks: Float64Array
  weights: Float64Array
  pairs: Int32Array
  /** The damage that a member does to the others, and that they do to it. */
  damages: Int32Array
  suffered: Int32Array
  mission: Float64Array | null
}

function tabulate(parts: TeamParts): Table {
  const size = parts.risks.length
  const pairs = new Int32Array(size * size)
  const damages = new Int32Array(size * size)
  const suffered = new Int32Array(size * size)
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      if (i === j) continue
      const pair = parts.pairE4(i, j)
      const hurt = (parts.risks[i] ?? 0) * (10_000 - pair) * (parts.reputations[j] ?? 0)
      const damage = Math.floor((hurt * parts.reachPercent(i, j) + 5_000_000) / 10_000_000)
      pairs[i * size + j] = pair
      damages[i * size + j] = damage
      suffered[j * size + i] = damage
    }
  }
  return {
    size,
    risks: Float64Array.from(parts.risks),
    weights: Float64Array.from(parts.risks, tailWeight),
    pairs,
    damages,
    suffered,
    mission: parts.mission === null ? null : Float64Array.from(parts.mission),
  }
}

/** The sums over a coalition that determine its pillars. */
type Sums = {
  count: number
  weight: number
  weightedRisk: number
  pair: number
  pairSquare: number
  mission: number
  /** The worst damage that any other member does to each: the sum over members, and the maximum. */
  worst: number
  worstMax: number
}

const NOBODY: Sums = {
  count: 0,
  weight: 0,
  weightedRisk: 0,
  pair: 0,
  pairSquare: 0,
  mission: 0,
  worst: 0,
  worstMax: 0,
}

function createCoalition(table: Table): Coalition {
  const { size, risks, weights, pairs, damages, suffered, mission } = table
  const members = new Int32Array(size)
  /** The worst damage that any other member does to each, by index. */
  const worst = new Int32Array(size)
  // Mutated in place: a new object for every coalition would be most of the work.
  const sums = { ...NOBODY }

  // The hot loop of sampling: one pass over the others, with the sums kept in local variables.
  const add = (member: number): void => {
    const { count } = sums
    const row = member * size
    let own = 0
    let pairSum = 0
    let pairSquare = 0
    let raised = 0
    let worstMax = sums.worstMax
    for (let place = 0; place < count; place += 1) {
      const at = row + read(members, place)
      const pair = read(pairs, at)
      pairSum += pair
      pairSquare += pair * pair
      const taken = read(suffered, at)
      if (taken > own) own = taken
      const done = read(damages, at)
      const before = read(worst, place)
      if (done <= before) continue
      worst[place] = done
      raised += done - before
      if (done > worstMax) worstMax = done
    }
    members[count] = member
    worst[count] = own
    const weight = weights[member] ?? 0
    sums.count = count + 1
    sums.weight += weight
    sums.weightedRisk += weight * (risks[member] ?? 0)
    sums.pair += pairSum
    sums.pairSquare += pairSquare
    sums.mission += mission?.[member] ?? 0
    sums.worst += raised + own
    sums.worstMax = Math.max(worstMax, own)
  }

  const isOnMission = mission !== null
  return {
    clear: () => void Object.assign(sums, NOBODY),
    add,
    pillars: () => {
      const aggregateRisk = aggregate(sums)
      const coherence = coherenceOf(sums, isOnMission)
      const structuralRisk = structural(sums)
      const teamCoherence = together(aggregateRisk, coherence, structuralRisk)
      return { aggregateRisk, coherence, structuralRisk, teamCoherence }
    },
    value: () =>
      sums.count === 0
        ? 0
        : together(aggregate(sums), coherenceOf(sums, isOnMission), structural(sums)),
  }
}

/** Monomorphic, so that the JIT compiler inlines it. */
function read(table: Int32Array, at: number): number {
  return table[at] ?? 0
}

function together(aggregateRisk: number, coherence: number, structuralRisk: number): number {
  const good = 30 * (MICRO - aggregateRisk) + 45 * coherence + 25 * (MICRO - structuralRisk)
  return Math.floor((good + 50) / 100)
}

function aggregate({ weight, weightedRisk }: Pick<Sums, 'weight' | 'weightedRisk'>): number {
  return Math.floor((100 * weightedRisk + Math.floor(weight / 2)) / weight)
}

/** The aggregate of e4 risks of agents without a team. */
export function aggregateRisk(risksE4: readonly number[]): number {
  const sums = { weight: 0, weightedRisk: 0 }
  for (const riskE4 of risksE4) {
    sums.weight += tailWeight(riskE4)
    sums.weightedRisk += tailWeight(riskE4) * riskE4
  }
  return aggregate(sums)
}

/** The mean of the pairs minus half of their spread; a single member is fully coherent. */
function coherenceOf(sums: Sums, withMission: boolean): number {
  const own = ownCoherence(sums)
  if (!withMission) return own
  return Math.floor((70 * own + 30 * meanMicro(sums.mission, sums.count) + 50) / 100)
}

function ownCoherence({ count, pair, pairSquare }: Sums): number {
  if (count === 1) return MICRO
  const pairCount = (count * (count - 1)) / 2
  const spread = Math.floor((100 * isqrt(pairCount * pairSquare - pair * pair)) / pairCount)
  return Math.max(0, meanMicro(pair, pairCount) - Math.floor(spread / 2))
}

function meanMicro(sumE4: number, count: number): number {
  return Math.floor((100 * sumE4 + Math.floor(count / 2)) / count)
}

function structural({ count, worst, worstMax }: Sums): number {
  return count === 1 ? 0 : Math.floor((worstMax + Math.floor(worst / count)) / 2)
}
