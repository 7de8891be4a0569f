import { COMPONENTS, type ComponentKey, type ComponentScores } from './component-scores.ts'
import type { ScoreInput } from './score-input.ts'

const EVIDENCE_MAX = 20

/** Ids of the evidence for lost points; `reasonCodes` uses the first 20 of each list. */
export type Evidence = {
  /** Checkpoints with a verdict other than clear, newest first. */
  nonClearIds: readonly string[]
  /** Checkpoints with a violation that lowers the compliance component, newest first. */
  violationIds: readonly string[]
  /** Newest first. */
  unstableSessionIds: readonly string[]
  /** Lowest pair score first, without agents that the reader may not see. */
  lowestPeerIds: readonly string[]
  /** Clear checkpoints that say little, newest first; empty unless there are many. */
  lowNoveltyIds: readonly string[]
}

export type ReasonCode = {
  code:
    | 'LOW_INTEGRITY'
    | 'RECENT_VIOLATIONS'
    | 'UNSTABLE_SESSIONS'
    | 'MISSING_TRACES'
    | 'LOW_COHERENCE'
    | 'UNMEASURED_COHERENCE'
    | 'LOW_NOVELTY'
  component: ComponentKey
  pointsLost: number
  evidenceIds: readonly string[]
}

/**
 * Explains the lost points: greatest loss first, ties in the order of the components. Low novelty
 * costs no points, so it is last.
 */
export function reasonCodes({
  input,
  scores,
  evidence,
}: {
  input: ScoreInput
  scores: ComponentScores
  evidence: Evidence
}): ReasonCode[] {
  const reasons = reasonsOf(input, evidence)
  const losses: ReasonCode[] = COMPONENTS.map(({ key, weightTenths }) => {
    const { code, ids } = reasons[key]
    const pointsLost = (weightTenths * (1000 - scores[key])) / 10
    return { code, component: key, pointsLost, evidenceIds: ids.slice(0, EVIDENCE_MAX) }
  })
    .filter(({ pointsLost }) => pointsLost > 0)
    .sort((a, b) => b.pointsLost - a.pointsLost)
  return [...losses, ...lowNovelty(evidence)]
}

function lowNovelty({ lowNoveltyIds: ids }: Evidence): ReasonCode[] {
  if (ids.length === 0) return []
  const evidenceIds = ids.slice(0, EVIDENCE_MAX)
  return [{ code: 'LOW_NOVELTY', component: 'integrity_ratio', pointsLost: 0, evidenceIds }]
}

type Reason = { code: ReasonCode['code']; ids: readonly string[] }

function reasonsOf(input: ScoreInput, evidence: Evidence): Record<ComponentKey, Reason> {
  return {
    integrity_ratio: { code: 'LOW_INTEGRITY', ids: evidence.nonClearIds },
    compliance: { code: 'RECENT_VIOLATIONS', ids: evidence.violationIds },
    drift_stability: { code: 'UNSTABLE_SESSIONS', ids: evidence.unstableSessionIds },
    trace_completeness: { code: 'MISSING_TRACES', ids: [] },
    coherence_compatibility:
      input.peers.count === 0
        ? { code: 'UNMEASURED_COHERENCE', ids: [] }
        : { code: 'LOW_COHERENCE', ids: evidence.lowestPeerIds },
  }
}
