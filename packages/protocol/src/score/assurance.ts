import { roundTo } from '../base/rounding.ts'
import { requireCount } from './score-input.ts'

/**
 * How far a score may be relied on: who saw the evidence, over how long, and how much of it says
 * something. A score can be computed from an agent's own claims alone; its assurance says so (spec:
 * provenance §3).
 */

const DAY_MS = 86_400_000

/** The UTC days that count: the day of the computation and those before it. */
export const ASSURANCE_WINDOW_DAYS = 90

/** Lowest first. `scoreMax` is the highest assured score at the level. */
export const ASSURANCE_LEVELS = [
  { level: 0, name: 'unverified', scoreMax: 599 },
  { level: 1, name: 'recorded', scoreMax: 749 },
  { level: 2, name: 'relayed', scoreMax: 849 },
  { level: 3, name: 'observed', scoreMax: 949 },
  { level: 4, name: 'witnessed', scoreMax: 1000 },
] as const

export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number]['level']
export type AssuranceName = (typeof ASSURANCE_LEVELS)[number]['name']

export const ASSURANCE_LIMITS = [
  'SELF_REPORTED',
  'SHORT_HISTORY',
  'ONE_BURST',
  'LOW_NOVELTY',
  'UNTRACED',
  'UNCLAIMED',
  'UNWITNESSED',
] as const

export type AssuranceLimit = (typeof ASSURANCE_LIMITS)[number]

/** The minimum counts of each level. */
export const ASSURANCE_NEEDS = {
  recorded: { days: 3, checkpoints: 50 },
  relayed: { days: 7 },
  observed: { days: 14, checkpoints: 200 },
} as const

/** Below this many days, an agent's history is short. */
export const HISTORY_DAYS_MIN = 14

/** The checkpoints of the scoring set that were received on one UTC day. */
export type AssuranceDay = {
  /** The number of the day since 1970-01-01. */
  day: number
  clear: number
  /** Clear ones beyond the most of one hour. */
  setAsideByBurst: number
  /** Clear ones whose thinking says nothing new, or nothing. */
  setAsideByNovelty: number
  /** All of the scoring set that were not set aside. */
  effective: number
  /** Effective ones, by who saw them. */
  observed: number
  relayed: number
}

/** The sums of the days in the window. */
export type AssuranceCounts = Omit<AssuranceDay, 'day'> & {
  /** Days with at least one effective checkpoint. */
  days: number
  /** From the first of these days to the last. */
  spanDays: number
}

export type AssuranceInput = AssuranceCounts & {
  /** Whether a person has claimed the agent. */
  claimed: boolean
  /** Decisions of the gateway that allowed a call. */
  decisionsAllowed: number
  /** How many of them have a known outcome. */
  outcomesKnown: number
  /** Whether all recent checkpoints are in a witnessed log. */
  witnessed: boolean
}

export type Assurance = {
  level: AssuranceLevel
  observedShare: number
  relayedShare: number
  days: number
  spanDays: number
  effectiveCheckpoints: number
  /** In the order of `ASSURANCE_LIMITS`. */
  limits: readonly AssuranceLimit[]
}

/** The number of the UTC day of an instant. */
export function utcDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
}

/** The first day that counts for an assurance computed at this time. */
export function firstAssuranceDay(nowMs: number): number {
  return utcDay(nowMs) - ASSURANCE_WINDOW_DAYS + 1
}

/** Sums the days in the window; each day must occur at most once. */
export function sumAssuranceDays(days: Iterable<AssuranceDay>, nowMs: number): AssuranceCounts {
  const first = firstAssuranceDay(nowMs)
  const sums = {
    clear: 0,
    setAsideByBurst: 0,
    setAsideByNovelty: 0,
    effective: 0,
    observed: 0,
    relayed: 0,
  }
  const effectiveDays: number[] = []
  for (const one of days) {
    if (one.day < first) continue
    sums.clear += one.clear
    sums.setAsideByBurst += one.setAsideByBurst
    sums.setAsideByNovelty += one.setAsideByNovelty
    sums.effective += one.effective
    sums.observed += one.observed
    sums.relayed += one.relayed
    if (one.effective > 0) effectiveDays.push(one.day)
  }
  const last = effectiveDays.reduce((latest, day) => Math.max(latest, day), first)
  const start = effectiveDays.reduce((earliest, day) => Math.min(earliest, day), last)
  return { ...sums, days: effectiveDays.length, spanDays: last - start }
}

/** Throws a RangeError for impossible counts, which would otherwise claim too high a level. */
export function assess(input: AssuranceInput): Assurance {
  checkAssuranceInput(input)
  const { effective, observed, relayed } = input
  return {
    level: levelOf(input),
    observedShare: shareOf(observed, effective),
    relayedShare: shareOf(relayed, effective),
    days: input.days,
    spanDays: input.spanDays,
    effectiveCheckpoints: effective,
    limits: ASSURANCE_LIMITS.filter((limit) => APPLIES[limit](input)),
  }
}

/** The number to rely on when something is at stake; null while the agent is unrated. */
export function assuredScore(conservativeScore: number, level: AssuranceLevel): number
export function assuredScore(conservativeScore: number | null, level: AssuranceLevel): number | null
export function assuredScore(
  conservativeScore: number | null,
  level: AssuranceLevel,
): number | null {
  return conservativeScore === null
    ? null
    : Math.min(conservativeScore, ASSURANCE_LEVELS[level].scoreMax)
}

export function assuranceName(level: AssuranceLevel): AssuranceName {
  return ASSURANCE_LEVELS[level].name
}

export function isAssuranceLevel(value: unknown): value is AssuranceLevel {
  return ASSURANCE_LEVELS.some(({ level }) => level === value)
}

/** One requirement of the next level that is not met. */
export type AssuranceGap =
  | { requirement: 'days' | 'effective_checkpoints'; needed: number; present: number }
  | { requirement: 'seen_share' | 'observed_share'; needed: number; present: number }
  | { requirement: 'claimed' | 'outcomes' | 'witnessed' }

/** The requirements that keep the next level away; empty at the highest level. */
export function assuranceGaps(assurance: Assurance): AssuranceGap[] {
  const { level } = assurance
  if (level === 4) return []
  return GAPS[level](assurance)
}

type Condition = (input: AssuranceInput) => boolean

/** Exact in integers: a rounded share could reach a threshold that the counts miss. */
const isMostlySeen: Condition = ({ observed, relayed, effective }) =>
  effective > 0 && 2 * (observed + relayed) >= effective
const isMostlyObserved: Condition = ({ observed, effective }) =>
  effective > 0 && 2 * observed >= effective
const areOutcomesKnown: Condition = ({ decisionsAllowed, outcomesKnown }) =>
  10 * outcomesKnown >= 8 * decisionsAllowed

const APPLIES: Readonly<Record<AssuranceLimit, Condition>> = {
  SELF_REPORTED: (input) => !isMostlySeen(input),
  SHORT_HISTORY: ({ days }) => days < HISTORY_DAYS_MIN,
  ONE_BURST: ({ clear, setAsideByBurst }) => 2 * setAsideByBurst > clear,
  LOW_NOVELTY: hasLowNovelty,
  UNTRACED: (input) => !areOutcomesKnown(input),
  UNCLAIMED: ({ claimed }) => !claimed,
  UNWITNESSED: ({ witnessed }) => !witnessed,
}

/** Whether more than a tenth of the clear checkpoints says nothing new. */
export function hasLowNovelty({
  clear,
  setAsideByNovelty,
}: Pick<AssuranceCounts, 'clear' | 'setAsideByNovelty'>): boolean {
  return 10 * setAsideByNovelty > clear
}

/** The conditions of levels 1 to 4; each level also needs those before it. */
const CONDITIONS: readonly Condition[] = [
  ({ days, effective }) =>
    days >= ASSURANCE_NEEDS.recorded.days && effective >= ASSURANCE_NEEDS.recorded.checkpoints,
  (input) => input.claimed && isMostlySeen(input) && input.days >= ASSURANCE_NEEDS.relayed.days,
  (input) =>
    isMostlyObserved(input) &&
    input.days >= ASSURANCE_NEEDS.observed.days &&
    input.effective >= ASSURANCE_NEEDS.observed.checkpoints &&
    areOutcomesKnown(input),
  ({ witnessed }) => witnessed,
]

function levelOf(input: AssuranceInput): AssuranceLevel {
  const unmet = CONDITIONS.findIndex((isMet) => !isMet(input))
  const reached = unmet === -1 ? CONDITIONS.length : unmet
  return isAssuranceLevel(reached) ? reached : 0
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : roundTo(part / whole, 4)
}

const SEEN_SHARE_MIN = 0.5

const atLeast = (
  requirement: 'days' | 'effective_checkpoints',
  needed: number,
  present: number,
): AssuranceGap[] => (present >= needed ? [] : [{ requirement, needed, present }])

const GAPS: Readonly<Record<0 | 1 | 2 | 3, (assurance: Assurance) => AssuranceGap[]>> = {
  0: ({ days, effectiveCheckpoints }) => [
    ...atLeast('days', ASSURANCE_NEEDS.recorded.days, days),
    ...atLeast('effective_checkpoints', ASSURANCE_NEEDS.recorded.checkpoints, effectiveCheckpoints),
  ],
  1: ({ days, limits, observedShare, relayedShare }) => [
    ...when(limits.includes('UNCLAIMED'), { requirement: 'claimed' }),
    ...when(limits.includes('SELF_REPORTED'), {
      requirement: 'seen_share',
      needed: SEEN_SHARE_MIN,
      present: roundTo(observedShare + relayedShare, 4),
    }),
    ...atLeast('days', ASSURANCE_NEEDS.relayed.days, days),
  ],
  2: ({ days, effectiveCheckpoints, observedShare, limits }) => [
    ...when(observedShare < SEEN_SHARE_MIN, {
      requirement: 'observed_share',
      needed: SEEN_SHARE_MIN,
      present: observedShare,
    }),
    ...atLeast('days', ASSURANCE_NEEDS.observed.days, days),
    ...atLeast('effective_checkpoints', ASSURANCE_NEEDS.observed.checkpoints, effectiveCheckpoints),
    ...when(limits.includes('UNTRACED'), { requirement: 'outcomes' }),
  ],
  3: () => [{ requirement: 'witnessed' }],
}

function when(applies: boolean, gap: AssuranceGap): AssuranceGap[] {
  return applies ? [gap] : []
}

function checkAssuranceInput(input: AssuranceInput): void {
  const { effective, clear } = input
  requireCount('clear', input.clear)
  requireCount('setAsideByBurst', input.setAsideByBurst, clear)
  requireCount('setAsideByNovelty', input.setAsideByNovelty, clear)
  requireCount('effective', effective)
  requireCount('observed + relayed', input.observed + input.relayed, effective)
  requireCount('observed', input.observed)
  requireCount('relayed', input.relayed)
  requireCount('days', input.days, Math.min(ASSURANCE_WINDOW_DAYS, effective))
  requireCount('spanDays', input.spanDays, ASSURANCE_WINDOW_DAYS - 1)
  requireCount('decisionsAllowed', input.decisionsAllowed)
  requireCount('outcomesKnown', input.outcomesKnown, input.decisionsAllowed)
}
