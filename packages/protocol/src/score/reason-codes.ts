import { COMPONENTS, type ComponentKey, type ComponentScores } from './component-scores.ts'
import type { ScoreInput } from './score-input.ts'

const EVIDENCE_MAX = 20

/** Ids that a reader can look up, best evidence first; limited to 20 per kind. */
export type Evidence = {
  /** Checkpoints with a verdict other than clear, newest first. */
  nonClearIds: readonly string[]
  /** Checkpoints whose violation counts, newest first. */
  violationIds: readonly string[]
  /** Newest first. */
  unstableSessionIds: readonly string[]
  /** Lowest pair score first, without agents that the reader may not see. */
  lowestPeerIds: readonly string[]
}

export type ReasonCode = {
  code:
    | 'LOW_INTEGRITY'
    | 'RECENT_VIOLATIONS'
    | 'UNSTABLE_SESSIONS'
    | 'MISSING_TRACES'
    | 'LOW_COHERENCE'
    | 'UNMEASURED_COHERENCE'
  component: ComponentKey
  pointsLost: number
  evidenceIds: readonly string[]
}

/** Explains the lost points: greatest loss first, ties in the order of the components. */
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
  return COMPONENTS.map(({ key, tenths }) => {
    const { code, ids } = reasons[key]
    const pointsLost = (tenths * (1000 - scores[key])) / 10
    return { code, component: key, pointsLost, evidenceIds: ids.slice(0, EVIDENCE_MAX) }
  })
    .filter(({ pointsLost }) => pointsLost > 0)
    .sort((a, b) => b.pointsLost - a.pointsLost)
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
