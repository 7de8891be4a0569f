import type { ReclassifiedType } from '@touchstone/protocol/control'

export const VIOLATION_VERDICTS = ['boundary_violation', 'review_needed'] as const
export type ViolationVerdict = (typeof VIOLATION_VERDICTS)[number]

export const VIOLATION_STATUSES = ['open', 'reclassified', 'all'] as const

const SEVERITIES = ['low', 'medium', 'high', 'critical']

type Concern = { severity: string; description: string }

/** The first of the most severe concerns; undefined if there are none. */
export function worstConcern(concerns: readonly Concern[]): Concern | undefined {
  const rank = (concern: Concern | undefined) => SEVERITIES.indexOf(concern?.severity ?? '')
  return concerns.reduce<Concern | undefined>(
    (worst, concern) => (rank(concern) > rank(worst) ? concern : worst),
    undefined,
  )
}

/** Whether it lowers a score, now or at the next computation. */
export function countsAgainstScore(violation: {
  excluded: boolean
  reclassifiedAs: ReclassifiedType | null
}): boolean {
  return !violation.excluded && violation.reclassifiedAs !== 'card_gap'
}
