import type { ThinFlag } from './thin-evidence.ts'

/**
 * Signs that evidence was produced to raise the score rather than by real work (spec: evidence
 * §4.6).
 */
export const GAMING_FLAGS = ['uniform_timing', 'identical_content'] as const
export type GamingFlag = (typeof GAMING_FLAGS)[number]

/** Every flag of a checkpoint. Gaming flags decide about the score, thin ones about the assurance. */
export type Flag = GamingFlag | ThinFlag

export function isGamingFlag(flag: string): flag is GamingFlag {
  return GAMING_FLAGS.some((one) => one === flag)
}

/** The number of gaps examined: this checkpoint and the ten before it. */
export const UNIFORM_GAPS = 10
export const GAP_SPREAD_MS_MAX = 5
export const TWINS_MIN = 3
export const TWIN_AGE_MS_MAX = 24 * 3_600_000

export type Arrival = {
  timestamp: Date
  /** Timestamps of the agent's previous analysed checkpoints in chain order, newest last. */
  previous: readonly Date[]
  /** Timestamps of the agent's analysed checkpoints that share both text hashes. */
  twins: readonly Date[]
}

export function gamingFlagsOf(arrival: Arrival): GamingFlag[] {
  const flags: GamingFlag[] = []
  if (isUniform([...arrival.previous.slice(-UNIFORM_GAPS), arrival.timestamp]))
    flags.push('uniform_timing')
  const at = arrival.timestamp.getTime()
  const near = arrival.twins.filter((twin) => Math.abs(at - twin.getTime()) <= TWIN_AGE_MS_MAX)
  if (near.length >= TWINS_MIN) flags.push('identical_content')
  return flags
}

/** Too regular for real work: ten forward gaps that differ by a few milliseconds at most. */
function isUniform(timestamps: readonly Date[]): boolean {
  if (timestamps.length <= UNIFORM_GAPS) return false
  const times = timestamps.map((timestamp) => timestamp.getTime())
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const smallest = Math.min(...gaps)
  return smallest > 0 && Math.max(...gaps) - smallest <= GAP_SPREAD_MS_MAX
}

/** A gaming flag removes credit; it never hides a violation. */
export function isExcluded(
  flags: readonly Flag[],
  verdict: string,
  policy: 'exclude' | 'record',
): boolean {
  return policy === 'exclude' && verdict === 'clear' && flags.some(isGamingFlag)
}

const KEY_PART_DIGITS = 16

/**
 * The prefixes of both text hashes as one short key for finding equal content. An attacker who
 * makes two texts collide only gains a flag.
 */
export function contentKeyOf({
  thinking,
  output,
}: {
  thinking: string
  output: string | null
}): string {
  const absent = '0'.repeat(KEY_PART_DIGITS)
  return thinking.slice(0, KEY_PART_DIGITS) + (output?.slice(0, KEY_PART_DIGITS) ?? absent)
}
