import { type AlignmentCard, actionName } from '../cards/card.ts'
import { countCommon } from '../risk/coherence.ts'
import { compareCodePoints } from '../score/directory-order.ts'

/** An exact fraction. */
export type Ratio = { numerator: bigint; denominator: bigint }

export type CapabilityOverlap = {
  /**
   * The mean over pairs of agents of shared actions divided by all actions of the two; 0 without
   * pairs.
   */
  mean: Ratio
  /** Actions allowed on both sides, given as agent ids; sorted. */
  between(side: readonly string[], other: readonly string[]): readonly string[]
}

const WORD_BITS = 32

/**
 * The overlap of the actions that the agents' cards allow. An agent without actions forms no pairs.
 */
export function capabilityOverlap(cards: readonly AlignmentCard[]): CapabilityOverlap {
  const bounded = cards.map((card) => boundedNames(card))
  return { mean: meanOverlap(bounded), between: createBetween(cards, bounded) }
}

/** The names of the bounded actions, without their explanations. */
export function boundedNames({ autonomy_envelope: { bounded_actions } }: AlignmentCard) {
  return new Set(bounded_actions.map((entry) => actionName(entry)))
}

function meanOverlap(bounded: readonly ReadonlySet<string>[]): Ratio {
  const acting = bounded.filter((names) => names.size > 0)
  // Groups shared actions by the size of the union, so that few fractions have to be added.
  const commonByAll = new Map<number, number>()
  let pairCount = 0
  for (const [at, a] of acting.entries()) {
    for (const b of acting.slice(at + 1)) {
      const common = countCommon(a, b)
      const all = a.size + b.size - common
      commonByAll.set(all, (commonByAll.get(all) ?? 0) + common)
      pairCount += 1
    }
  }
  let sum: Ratio = { numerator: 0n, denominator: 1n }
  for (const [all, common] of commonByAll) sum = add(sum, BigInt(common), BigInt(all))
  return { ...sum, denominator: sum.denominator * BigInt(Math.max(1, pairCount)) }
}

function add({ numerator, denominator }: Ratio, more: bigint, of: bigint): Ratio {
  const common = greatestDivisor(denominator, of)
  return {
    numerator: numerator * (of / common) + more * (denominator / common),
    denominator: denominator * (of / common),
  }
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b)
}

/**
 * Agents are bits in a bit set, because a large team has thousands of values and actions, and
 * results are cached because many values divide the same two sides.
 */
function createBetween(
  cards: readonly AlignmentCard[],
  bounded: readonly ReadonlySet<string>[],
): CapabilityOverlap['between'] {
  const places = new Map(cards.map(({ agent_id }, at) => [agent_id, at]))
  const words = Math.ceil(cards.length / WORD_BITS)
  const holders = new Map<string, number[]>()
  for (const [at, names] of bounded.entries()) {
    for (const name of names) {
      const bits = holders.get(name) ?? noBits(words)
      setBit(bits, at)
      holders.set(name, bits)
    }
  }
  const sorted = [...holders].sort(([a], [b]) => compareCodePoints(a, b))
  const sides = new Map<readonly string[], { bits: number[]; key: string }>()
  const sideOf = (ids: readonly string[]) => {
    const bits = noBits(words)
    for (const id of ids) setBit(bits, places.get(id) ?? 0)
    const side = { bits, key: bits.join() }
    sides.set(ids, side)
    return side
  }
  const known = new Map<string, readonly string[]>()
  return (side, other) => {
    const { bits: a, key: keyA } = sides.get(side) ?? sideOf(side)
    const { bits: b, key: keyB } = sides.get(other) ?? sideOf(other)
    const key = `${keyA} ${keyB}`
    const found =
      known.get(key) ??
      sorted.filter(([, bits]) => meets(bits, a) && meets(bits, b)).map(([name]) => name)
    known.set(key, found)
    return found
  }
}

function noBits(words: number): number[] {
  return Array.from({ length: words }, () => 0)
}

function setBit(bits: number[], at: number): void {
  const word = Math.floor(at / WORD_BITS)
  bits[word] = (bits[word] ?? 0) | (1 << (at % WORD_BITS))
}

function meets(a: readonly number[], b: readonly number[]): boolean {
  for (let at = 0; at < a.length; at += 1) {
    if (((a[at] ?? 0) & (b[at] ?? 0)) !== 0) return true
  }
  return false
}
