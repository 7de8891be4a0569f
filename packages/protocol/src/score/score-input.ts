import type { Violation } from './compliance.ts'

/**
 * The inputs of a score: counts, and the violations of the last 90 days. It does not grow with an
 * agent's history, so a service can maintain it incrementally and an outsider can check it.
 */
export type ScoreInput = {
  /** Ages are counted back from this time. */
  nowMs: number
  /** The scoring set: analysed checkpoints without the excluded ones. */
  checkpoints: { scored: number; clear: number; excluded: number }
  /** Violations in the scoring set. Those outside the last 90 days make no difference. */
  violations: readonly Violation[]
  /** Sessions with at least three checkpoints of the scoring set. */
  sessions: { total: number; unstable: number }
  tracesVerified: number
  /** The pair scores of the last 90 days, in ten-thousandths, so that their sum is exact. */
  peers: PeerScores
  /** The sum of the currently valid propagated adjustments, in ten-thousandths of a point. */
  adjustmentE4: number
}

/**
 * Peers within the organisation of the agent weigh half as much as those `acrossOrgs`, which are
 * included in the totals. Without `acrossOrgs`, as in methodology 1, all weigh the same.
 */
export type PeerScores = PairScores & { acrossOrgs?: PairScores | undefined }

type PairScores = { count: number; pairScoreE4Sum: number }

/** The weighted sum and number of pair scores, in units of the weight within an organisation. */
export function weighPeers({ count, pairScoreE4Sum, acrossOrgs }: PeerScores): PairScores {
  return {
    count: count + (acrossOrgs?.count ?? 0),
    pairScoreE4Sum: pairScoreE4Sum + (acrossOrgs?.pairScoreE4Sum ?? 0),
  }
}

/** Throws a RangeError for impossible counts: a wrong score is worse than none. */
export function checkScoreInput(input: ScoreInput): void {
  const { checkpoints, sessions, peers } = input
  requireCount('checkpoints.scored', checkpoints.scored)
  requireCount('checkpoints.clear', checkpoints.clear, checkpoints.scored)
  requireCount('checkpoints.excluded', checkpoints.excluded)
  requireCount('sessions.total', sessions.total)
  requireCount('sessions.unstable', sessions.unstable, sessions.total)
  requireCount('tracesVerified', input.tracesVerified)
  requireCount('peers.count', peers.count)
  requireCount('peers.pairScoreE4Sum', peers.pairScoreE4Sum, 10_000 * peers.count)
  checkAcrossOrgs(peers)
  requireInteger('adjustmentE4', input.adjustmentE4)
  requireInteger('nowMs', input.nowMs)
  for (const { timestampMs } of input.violations) requireInteger('timestampMs', timestampMs)
}

/** Both parts must be possible: the peers across organisations, and the rest. */
function checkAcrossOrgs({ count, pairScoreE4Sum, acrossOrgs }: PeerScores): void {
  if (acrossOrgs === undefined) return
  requireCount('peers.acrossOrgs.count', acrossOrgs.count, count)
  const most = Math.min(pairScoreE4Sum, 10_000 * acrossOrgs.count)
  requireCount('peers.acrossOrgs.pairScoreE4Sum', acrossOrgs.pairScoreE4Sum, most)
  const within = pairScoreE4Sum - acrossOrgs.pairScoreE4Sum
  requireCount('peers.pairScoreE4Sum', within, 10_000 * (count - acrossOrgs.count))
}

export function requireCount(name: string, value: number, max = Number.MAX_SAFE_INTEGER): void {
  requireInteger(name, value)
  if (value < 0 || value > max) throw new RangeError(`${name} must be from 0 to ${max}`)
}

function requireInteger(name: string, value: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${name} must be an integer`)
}
