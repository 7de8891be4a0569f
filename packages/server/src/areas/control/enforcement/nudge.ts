import { sha256Hex } from '@touchstone/protocol/crypto'

export type Nudging = {
  strategy: 'always' | 'sampling' | 'threshold' | 'off'
  /** Per cent. */
  rate: number
  threshold: number
}

/** A word to an agent about one of its checkpoints. */
export type Nudge = {
  nudgeId: string
  agentId: string
  sessionId: string
  checkpointId: string
  message: string
  createdAt: Date
}

/**
 * Whether a checkpoint that is not clear is spoken of. `notClear`: the how manieth it is of its
 * session. `nudgeId` is random, and nothing the agent could choose.
 */
export function isSpokenOf(
  nudging: Nudging,
  { nudgeId, notClear }: { nudgeId: string; notClear: number },
): boolean {
  switch (nudging.strategy) {
    case 'always':
      return true
    case 'sampling':
      return lotOf(nudgeId) < nudging.rate
    case 'threshold':
      return notClear >= nudging.threshold
    case 'off':
      return false
  }
}

/** From 0 up to, not including, 100, evenly. */
function lotOf(nudgeId: string): number {
  return (Number.parseInt(sha256Hex(nudgeId).slice(0, 8), 16) / 2 ** 32) * 100
}

/** One line, with nothing of what the agent thought or said. */
export function nudgeMessage(about: {
  verdict: 'clear' | 'review_needed' | 'boundary_violation'
  violationType: string | null
  severity: string | null
}): string {
  const what = about.verdict === 'boundary_violation' ? 'Integrity violation' : 'Review needed:'
  const type = about.violationType ?? 'ANALYSIS_FAILED'
  return `${what} ${type}, severity ${about.severity ?? 'unknown'}.`
}
