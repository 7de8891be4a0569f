import { type AlignmentCard, actionName } from '../cards/card.ts'
import { countCommon, countPair, intersection, valueSets } from './coherence.ts'
import { divide } from './fixed-point.ts'
import { isUnordered, valueRanks } from './value-order.ts'

/** The compatibility of two members, in thousandths; higher is better. */
export type PairParts = {
  /** The share of common values. */
  valueOverlap: number
  /** How similarly they rank the common values. */
  priorityAlignment: number
  /** How rarely they fail on the same days. */
  behaviouralCorrelation: number
  /** How rarely one may do what the other forbids or opposes. */
  boundaryOverlap: number
}

export type PairSubject = {
  /** The active card, unless expired. */
  card: AlignmentCard | null
  /** UTC dates in the last 90 days with a violation. */
  violationDates: readonly string[]
}

/** The neutral value for a member without a card. */
const UNKNOWN = 500

export function pairParts(a: PairSubject, b: PairSubject): PairParts {
  return {
    ...cardParts(a.card, b.card),
    behaviouralCorrelation: correlation(new Set(a.violationDates), new Set(b.violationDates)),
  }
}

export function pairE4(parts: PairParts): number {
  const { valueOverlap, priorityAlignment, behaviouralCorrelation, boundaryOverlap } = parts
  const sum =
    35 * valueOverlap + 25 * priorityAlignment + 15 * behaviouralCorrelation + 25 * boundaryOverlap
  return Math.floor((sum + 5) / 10)
}

/** The compatibility of a member with its team's card, which has no violations. */
export function missionE4(card: AlignmentCard | null, teamCard: AlignmentCard): number {
  return pairE4({ ...cardParts(card, teamCard), behaviouralCorrelation: 1000 })
}

function cardParts(
  a: AlignmentCard | null,
  b: AlignmentCard | null,
): Omit<PairParts, 'behaviouralCorrelation'> {
  if (a === null || b === null) {
    return { valueOverlap: UNKNOWN, priorityAlignment: UNKNOWN, boundaryOverlap: UNKNOWN }
  }
  const counts = countPair(setsOf(a), setsOf(b))
  return {
    valueOverlap: counts.of === 0 ? UNKNOWN : thousandths(counts.matched, counts.of),
    priorityAlignment: priorityAlignment(a.values, b.values),
    boundaryOverlap: boundaryOverlap(a.autonomy_envelope, b.autonomy_envelope, counts.conflicts),
  }
}

function setsOf({ values }: AlignmentCard) {
  return valueSets({ declared: values.declared, conflictsWith: values.conflicts_with ?? [] })
}

function priorityAlignment(a: AlignmentCard['values'], b: AlignmentCard['values']): number {
  const shared = [...intersection(new Set(a.declared), new Set(b.declared))]
  if (shared.length === 0) return UNKNOWN
  if (shared.length === 1 || isUnordered(a) || isUnordered(b)) return 1000
  const ranksOfA = valueRanks(a)
  const ranksOfB = valueRanks(b)
  let alike = 0
  for (const [at, x] of shared.entries()) {
    for (const y of shared.slice(at + 1)) {
      if (precedes(ranksOfA, x, y) === precedes(ranksOfB, x, y)) alike += 1
    }
  }
  return thousandths(alike, (shared.length * (shared.length - 1)) / 2)
}

function precedes(ranks: ReadonlyMap<string, number>, x: string, y: string): boolean {
  return (ranks.get(x) ?? 0) < (ranks.get(y) ?? 0)
}

function correlation(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = countCommon(a, b)
  const all = a.size + b.size - common
  return all === 0 ? 1000 : 1000 - thousandths(common, all)
}

type Envelope = AlignmentCard['autonomy_envelope']

function boundaryOverlap(a: Envelope, b: Envelope, conflicts: number): number {
  const boundA = names(a.bounded_actions)
  const boundB = names(b.bounded_actions)
  const crossed =
    countCommon(boundA, names(b.forbidden_actions)) +
    countCommon(boundB, names(a.forbidden_actions))
  const all = boundA.size + boundB.size - countCommon(boundA, boundB)
  return Math.max(0, 1000 - 250 * conflicts - (all === 0 ? 0 : thousandths(crossed, all)))
}

function names(entries: readonly string[] = []): ReadonlySet<string> {
  return new Set(entries.map((entry) => actionName(entry)))
}

function thousandths(a: number, b: number): number {
  return divide(1000 * a, b)
}
