import { countAlike, type RecentHashes } from './recent-hashes.ts'

/**
 * Signs that evidence says little about the agent, although it is counted in the score (spec:
 * provenance §4).
 */
export const THIN_FLAGS = ['low_novelty', 'word_salad', 'burst'] as const
export type ThinFlag = (typeof THIN_FLAGS)[number]

/** This many earlier texts that are alike make one that says nothing new. */
export const ALIKE_MIN = 3
/** Analysed checkpoints of one agent within one clock hour, before further ones are a burst. */
export const HOUR_CHECKPOINTS_MAX = 120

/** The traits of the thinking that remain after its analysis. */
export type TextTraits = {
  /** Undefined if it has fewer than three words. */
  simHash: bigint | undefined
  isWordSalad: boolean
}

export const NO_TEXT: TextTraits = { simHash: undefined, isWordSalad: false }

export type ThinEvidence = {
  traits: TextTraits
  /** The hashes of the agent's earlier analysed checkpoints. */
  recent: RecentHashes
  /** The agent's earlier analysed checkpoints that were received in the same clock hour. */
  earlierInHour: number
}

export function thinFlagsOf({ traits, recent, earlierInHour }: ThinEvidence): ThinFlag[] {
  const { simHash, isWordSalad } = traits
  const flags: ThinFlag[] = []
  if (simHash !== undefined && countAlike(recent, simHash) >= ALIKE_MIN) flags.push('low_novelty')
  if (isWordSalad) flags.push('word_salad')
  if (earlierInHour >= HOUR_CHECKPOINTS_MAX) flags.push('burst')
  return flags
}

const HOUR_MS = 3_600_000

/**
 * The clock hour (UTC) in which an agent's last analysed checkpoint was received, and how many in a row
 * were received in it.
 */
export type AnalysedHour = { from: Date; analysed: number }

/** How many analysed checkpoints came before in the clock hour of this time. */
export function analysedInHour(hour: AnalysedHour | null, now: Date): number {
  return hour?.from.getTime() === hourOf(now).getTime() ? hour.analysed : 0
}

/** After one more, which was received at this time. */
export function hourAfter(hour: AnalysedHour | null, now: Date): AnalysedHour {
  return { from: hourOf(now), analysed: analysedInHour(hour, now) + 1 }
}

function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)
}

export function isThinFlag(flag: string): flag is ThinFlag {
  return THIN_FLAGS.some((one) => one === flag)
}

/**
 * Whether the assurance leaves the checkpoint out. Only clear ones are left out, so that a flag
 * cannot hide a violation.
 */
export function isSetAside(flags: readonly string[], verdict: string): boolean {
  return verdict === 'clear' && flags.some(isThinFlag)
}
