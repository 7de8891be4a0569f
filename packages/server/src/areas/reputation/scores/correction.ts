import { adjustmentE4, type ReachedAgent } from '@touchstone/protocol/control'
import { rate, type ScoreInput, type Violation } from '@touchstone/protocol/score'

/** What a computation newly leaves out of a score as gaps of the card. */
export type Exclusion = {
  violations: readonly Omit<Violation, 'cardGap'>[]
  /** Sessions that are stable without them. */
  sessionsRegained: number
}

/** Points that a correction elsewhere brings an agent. */
export type Adjustment = ReachedAgent & { pointsE4: number }

/** How far a correction went. */
export type Propagation = { agentsAffected: number; maxDepth: number }

/**
 * What the score gained by leaving them out: the same data with and without. Nothing for an agent
 * that is not eligible, because nobody may learn its score.
 */
export function gainOf(input: ScoreInput, { violations, sessionsRegained }: Exclusion): number {
  const { total, unstable } = input.sessions
  // The input has them as gaps, which weigh nothing.
  const counted = violations.map((one) => ({ ...one, cardGap: false }))
  const without = rate({
    ...input,
    violations: [...input.violations, ...counted],
    sessions: { total, unstable: unstable + sessionsRegained },
  })
  const { score } = rate(input)
  return score === null || without.score === null ? 0 : score - without.score
}

/** Only what raised a score is passed on (02 §4.4). */
export function adjustmentsFrom(gain: number, reached: readonly ReachedAgent[]): Adjustment[] {
  if (gain <= 0) return []
  return reached.map(({ agentId, hop }) => ({ agentId, hop, pointsE4: adjustmentE4(gain, hop) }))
}

export function propagationOf(adjustments: readonly Adjustment[]): Propagation {
  const maxDepth = adjustments.reduce((deepest, { hop }) => Math.max(deepest, hop), 0)
  return { agentsAffected: adjustments.length, maxDepth }
}
