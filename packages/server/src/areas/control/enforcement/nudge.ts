import { sha256Hex } from '@touchstone/protocol/crypto'

export type Nudging = {
  strategy: 'always' | 'sampling' | 'threshold' | 'off'
  /** In per cent. */
  rate: number
  threshold: number
}

/** A message to an agent about one of its checkpoints. */
export type Nudge = {
  nudgeId: string
  agentId: string
  sessionId: string
  checkpointId: string
  message: string
  createdAt: Date
}

/**
 * Whether a checkpoint that is not clear causes a nudge. `notClear` is its ordinal among the
 * checkpoints of its session that are not clear. `nudgeId` must be random and not under the
 * agent's control, since it decides sampling.
 */
export function isNudged(
  nudging: Nudging,
  { nudgeId, notClear }: { nudgeId: string; notClear: number },
): boolean {
  switch (nudging.strategy) {
    case 'always':
      return true
    case 'sampling':
      return sampleOf(nudgeId) < nudging.rate
    case 'threshold':
      return notClear >= nudging.threshold
    case 'off':
      return false
  }
}

/** A sample uniformly distributed in [0, 100). */
function sampleOf(nudgeId: string): number {
  return (Number.parseInt(sha256Hex(nudgeId).slice(0, 8), 16) / 2 ** 32) * 100
}

/** One line that quotes nothing the agent thought or said. */
export function nudgeMessage(about: {
  verdict: 'clear' | 'review_needed' | 'boundary_violation'
  violationType: string | null
  severity: string | null
}): string {
  const what = about.verdict === 'boundary_violation' ? 'Integrity violation' : 'Review needed:'
  const type = about.violationType ?? 'ANALYSIS_FAILED'
  return `${what} ${type}, severity ${about.severity ?? 'unknown'}.`
}
