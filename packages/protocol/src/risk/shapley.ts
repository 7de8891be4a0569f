import { sha256Bytes } from '../crypto/hash.ts'
import { MICRO } from './fixed-point.ts'
import type { TeamGame } from './team-game.ts'

/** Up to this many members all coalitions are evaluated; for larger teams, permutations are sampled. */
const EXACT_MEMBERS_MAX = 12
const PERMUTATIONS_MAX = 20_000
const GROUPS_MIN = 20
const STD_ERROR_MICRO_MAX = 500

export type ShapleyMethod = {
  method: 'exact' | 'sampled'
  permutations: number
  /** The largest standard error of any member; 0 if exact. */
  stdErrorMicro: number
}

/**
 * Each member's contribution to the team, as exact fractions with a common denominator, in micro
 * units.
 */
export type ShapleyValues = ShapleyMethod & {
  numerators: readonly number[]
  denominator: number
}

/**
 * Distributes the team coherence. The values sum to it exactly, sampled or not. Sampling is seeded
 * by the team, so that anybody can reproduce the same permutations.
 */
export function shapleyValues(
  game: TeamGame,
  named: { agentIds: readonly string[]; actionType: string },
): ShapleyValues {
  return game.size <= EXACT_MEMBERS_MAX ? exactValues(game) : sampledValues(game, named)
}

/** For up to 13 members: with more, the numerators exceed 2^53. */
export function exactValues(game: TeamGame): ShapleyValues {
  const { size } = game
  const values = valuesOfSets(game)
  const weights = weightsBySize(size)
  const numerators = Array.from({ length: size }, (_, member) => {
    const bit = 1 << member
    let sum = 0
    for (let set = 0; set < values.length; set += 1) {
      if ((set & bit) !== 0) continue
      const gain = (values[set | bit] ?? 0) - (values[set] ?? 0)
      sum += (weights[bitCount(set)] ?? 0) * gain
    }
    return sum
  })
  const exact = { method: 'exact', permutations: 0, stdErrorMicro: 0 } as const
  return { ...exact, numerators, denominator: factorial(size) }
}

/** The team coherence of every coalition, indexed by its bits. */
function valuesOfSets({ size, coalition: open }: TeamGame): Float64Array {
  const values = new Float64Array(2 ** size)
  const coalition = open()
  for (let set = 1; set < values.length; set += 1) {
    coalition.clear()
    for (let member = 0; member < size; member += 1) {
      if ((set & (1 << member)) !== 0) coalition.add(member)
    }
    values[set] = coalition.value()
  }
  return values
}

/**
 * The Shapley weights, times size!: the number of permutations in which a member directly follows a
 * given set, by the size of the set.
 */
function weightsBySize(size: number): number[] {
  return Array.from({ length: size }, (_, before) => {
    return factorial(before) * factorial(size - before - 1)
  })
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1)
}

function bitCount(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1
  return count
}

function sampledValues(
  game: TeamGame,
  named: { agentIds: readonly string[]; actionType: string },
): ShapleyValues {
  const { size } = game
  const draw = createDraw(shapleySeed(game, named))
  const coalition = game.coalition()
  const totals = new Float64Array(size)
  const sums = new Float64Array(size)
  const squares = new Float64Array(size)
  let groups = 0
  let stdErrorMicro = Number.POSITIVE_INFINITY
  while (stdErrorMicro > STD_ERROR_MICRO_MAX && (groups + 1) * size <= PERMUTATIONS_MAX) {
    const gains = gainsOfRotations(coalition, drawPermutation(size, draw))
    groups += 1
    for (const [member, gain] of gains.entries()) {
      const mean = gain / size
      totals[member] = (totals[member] ?? 0) + gain
      sums[member] = (sums[member] ?? 0) + mean
      squares[member] = (squares[member] ?? 0) + mean * mean
    }
    if (groups >= GROUPS_MIN) stdErrorMicro = largestError({ sums, squares, groups })
  }
  const permutations = groups * size
  const numerators = [...totals]
  return { method: 'sampled', permutations, stdErrorMicro, numerators, denominator: permutations }
}

/** Each member's gain, summed over a permutation and all its rotations. */
function gainsOfRotations(
  coalition: ReturnType<TeamGame['coalition']>,
  order: readonly number[],
): Float64Array {
  const gains = new Float64Array(order.length)
  // Doubled, so that every rotation is a slice of it.
  const round = Int32Array.from([...order, ...order])
  for (let start = 0; start < order.length; start += 1) {
    coalition.clear()
    let before = 0
    for (let step = start; step < start + order.length; step += 1) {
      const member = round[step] ?? 0
      coalition.add(member)
      const value = coalition.value()
      gains[member] = (gains[member] ?? 0) + value - before
      before = value
    }
  }
  return gains
}

type Tally = { sums: Float64Array; squares: Float64Array; groups: number }

function largestError({ sums, squares, groups }: Tally): number {
  return sums.reduce((largest, sum, member) => {
    const mean = sum / groups
    const variance = ((squares[member] ?? 0) - groups * mean * mean) / (groups - 1)
    return Math.max(largest, Math.sqrt(Math.max(0, variance) / groups))
  }, 0)
}

/** Never 0, because xorshift would then return only zeros. */
export function shapleySeed(
  game: TeamGame,
  { agentIds, actionType }: { agentIds: readonly string[]; actionType: string },
): number {
  const { teamCoherence } = game.pillars()
  const hash = sha256Bytes(`shapley-v1|${agentIds.join(',')}|${actionType}|${teamCoherence}`)
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0) || 1
}

/** xorshift32. */
export function createDraw(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
}

/** Fisher–Yates shuffle, from the last place down. */
export function drawPermutation(size: number, draw: () => number): number[] {
  const order = Array.from({ length: size }, (_, index) => index)
  for (let place = size - 1; place > 0; place -= 1) {
    const other = drawBelow(place + 1, draw)
    const moved = order[place] ?? 0
    order[place] = order[other] ?? 0
    order[other] = moved
  }
  return order
}

/** Rejection sampling: discards draws that would favour the first numbers. */
function drawBelow(count: number, draw: () => number): number {
  const fair = Math.floor(2 ** 32 / count) * count
  let drawn = draw()
  while (drawn >= fair) drawn = draw()
  return drawn % count
}

/** Each member's contribution to the team, in e4; sums to the published team coherence. */
export function publishedValues(values: ShapleyValues, coherenceE4: number): number[] {
  return apportion(values.numerators, { unit: 100 * values.denominator, total: coherenceE4 })
}

/** Each member's shortfall from an even share of a perfect team, in e4. */
export function publishedAttribution(values: ShapleyValues, coherenceE4: number): number[] {
  const { numerators, denominator } = values
  const size = numerators.length
  const short = numerators.map((numerator) => MICRO * denominator - size * numerator)
  return apportion(short, { unit: 100 * size * denominator, total: 10_000 - coherenceE4 })
}

/** Rounds to whole units that sum to the total, by the largest remainder method. */
function apportion(
  amounts: readonly number[],
  { unit, total }: { unit: number; total: number },
): number[] {
  const parts = amounts.map((amount, index) => {
    // A remainder is exact, a quotient of doubles is not.
    const remainder = ((amount % unit) + unit) % unit
    return { index, remainder, whole: (amount - remainder) / unit }
  })
  const left = total - parts.reduce((sum, { whole }) => sum + whole, 0)
  // Sorting is stable, so for equal remainders the smaller agent id comes first.
  const raised = new Set(
    parts
      .toSorted((a, b) => b.remainder - a.remainder)
      .slice(0, left)
      .map(({ index }) => index),
  )
  return parts.map(({ index, whole }) => whole + (raised.has(index) ? 1 : 0))
}
