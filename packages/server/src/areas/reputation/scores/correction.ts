import { adjustmentE4, type ReachedAgent } from '@touchstone/protocol/control'
import { rate, type ScoreInput, type Violation } from '@touchstone/protocol/score'

/** The evidence that a computation newly excludes from a score as card gaps. */
export type Exclusion = {
  violations: readonly Omit<Violation, 'cardGap'>[]
  /** Number of unstable sessions that become stable by the exclusion. */
  sessionsRegained: number
}

/** Points that an agent receives from the correction of another agent's score. */
export type Adjustment = ReachedAgent & { pointsE4: number }

/** How far a correction went. */
export type Propagation = { agentsAffected: number; maxDepth: number }

/**
 * The points that the exclusion adds to the score, from rating the same data with and without it.
 * 0 for an agent that is not eligible, whose score must not be disclosed.
 */
export function gainOf(input: ScoreInput, { violations, sessionsRegained }: Exclusion): number {
  const { total, unstable } = input.sessions
  // The input has these violations as card gaps, which have no weight.
  const counted = violations.map((one) => ({ ...one, cardGap: false }))
  const without = rate({
    ...input,
    violations: [...input.violations, ...counted],
    sessions: { total, unstable: unstable + sessionsRegained },
  })
  const { score } = rate(input)
  return score === null || without.score === null ? 0 : score - without.score
}

/** Only gains are passed on (spec: control §1.4). */
export function adjustmentsFrom(gain: number, reached: readonly ReachedAgent[]): Adjustment[] {
  if (gain <= 0) return []
  return reached.map(({ agentId, hop }) => ({ agentId, hop, pointsE4: adjustmentE4(gain, hop) }))
}

export function propagationOf(adjustments: readonly Adjustment[]): Propagation {
  const maxDepth = adjustments.reduce((deepest, { hop }) => Math.max(deepest, hop), 0)
  return { agentsAffected: adjustments.length, maxDepth }
}
