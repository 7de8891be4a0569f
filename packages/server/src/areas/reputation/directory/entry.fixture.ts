import { confidenceOf, standingOf } from '@touchstone/protocol/score'
import type { Entry } from './entry.ts'

/** A consistent entry: grade, tier and confidence follow from the given score and count. */
export function entryOf(given: Partial<Entry> & { agentId: string }): Entry {
  const score = given.score ?? 700
  const checkpointCount = given.checkpointCount ?? 120
  return {
    orgId: 'org-1',
    name: given.agentId,
    visibility: 'public',
    claimed: false,
    score,
    ...standingOf(score),
    confidence: confidenceOf(checkpointCount),
    checkpointCount,
    trend30d: 0,
    assurance: 1,
    assuredScore: Math.min(score, 749),
    reclassified: { cardGaps: 0, violations: 0 },
    components: {
      integrity_ratio: score,
      compliance: score,
      drift_stability: score,
      trace_completeness: score,
      coherence_compatibility: 750,
    },
    ...given,
  }
}
