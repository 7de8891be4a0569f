import type { PairCoherence } from '@touchstone/protocol/risk'

/** The tracing span of a comparison of two agents (spec: platform §6.2). */
export function coherenceSpan(
  { compatible, scoreE4, matched, conflicts }: PairCoherence,
  { checkedAt, durationMs }: { checkedAt: Date; durationMs: number },
) {
  return {
    name: 'aap.check_coherence',
    startedAt: new Date(checkedAt.getTime() - durationMs),
    durationMs,
    attributes: {
      'aap.coherence.compatible': compatible,
      'aap.coherence.score': scoreE4 / 10_000,
      'aap.coherence.matched_count': matched.length,
      'aap.coherence.conflict_count': conflicts.length,
    },
    events: [],
  }
}
