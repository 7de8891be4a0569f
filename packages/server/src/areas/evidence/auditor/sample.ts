import { sha256Hex } from '@touchstone/protocol/crypto'

/**
 * The rows that one verification recomputes: everything since the last audit, up to a bound, and a
 * random sample of what is older. Whoever knows the seed can repeat the choice.
 */

export type PlanSizes = {
  /** The number of older checkpoints. */
  sampled: number
  /** The newest since the audit. */
  tailMax: number
}

/**
 * The sizes of the specification (spec: provenance §7). Hourly audits leave a shorter tail unless an
 * agent sends a checkpoint every four seconds.
 */
const PLAN_SIZES: PlanSizes = { sampled: 200, tailMax: 1000 }

export type Plan = {
  /** The end of the last audit, or of the chain if that is shorter. */
  audited: number
  /** The first position of the tail, which is recomputed without a gap. */
  tailFrom: number
  /** Distinct positions before the tail, ascending. */
  sampled: readonly number[]
  /** Stored since the audit, but before the tail. */
  unchecked: number
}

export function planOf(
  chain: { length: number; audited: number; seed: string },
  sizes: PlanSizes = PLAN_SIZES,
): Plan {
  const { length, seed } = chain
  const audited = Math.min(chain.audited, length)
  const tailFrom = Math.max(audited, length - sizes.tailMax)
  const sampled = sampleOf({ population: tailFrom, sampled: sizes.sampled }, seed)
  const alsoSampled = sampled.filter((position) => position >= audited).length
  return { audited, tailFrom, sampled, unchecked: tailFrom - audited - alsoSampled }
}

/** Includes the first checkpoint after the audit, which shows whether the audited end was rewritten. */
export function positionsOf({ audited, tailFrom, sampled }: Plan, length: number): number[] {
  const tail = Array.from({ length: length - tailFrom }, (_, i) => tailFrom + i)
  const isPicked = audited >= tailFrom || sampled.includes(audited)
  return isPicked ? [...sampled, ...tail] : [...sampled, audited, ...tail]
}

/**
 * Number i is the first 48 bits of SHA-256 of `{seed}:{i}`, modulo the population; numbers that came
 * before are skipped.
 */
function sampleOf(
  { population, sampled }: { population: number; sampled: number },
  seed: string,
): number[] {
  const wanted = Math.min(sampled, population)
  if (wanted === population) return Array.from({ length: population }, (_, i) => i)
  const chosen = new Set<number>()
  for (let i = 0; chosen.size < wanted; i++) {
    const number = Number.parseInt(
      sha256Hex(new TextEncoder().encode(`${seed}:${i}`)).slice(0, 12),
      16,
    )
    chosen.add(number % population)
  }
  return [...chosen].sort((a, b) => a - b)
}
