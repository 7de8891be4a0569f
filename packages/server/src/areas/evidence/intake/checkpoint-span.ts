import { recommend } from '@touchstone/protocol/analysis'
import type { Checkpoint, WindowSummary } from '@touchstone/protocol/evidence'

/**
 * A stored checkpoint as tracing shows it (04 §7.2). It lasts as long as the analysis did, and
 * ends when it got its place in the chain.
 */
export function checkpointSpan(checked: {
  checkpoint: Checkpoint
  window: WindowSummary & { driftAlertActive: boolean }
}) {
  const { checkpoint, window } = checked
  const { verdict, concerns, conscienceContext, durationMs } = checkpoint
  const { proceed, recommendedAction } = recommend(verdict, concerns)
  return {
    name: 'aip.integrity_check',
    startedAt: new Date(checkpoint.createdAt.getTime() - durationMs),
    durationMs,
    attributes: {
      'aip.integrity.checkpoint_id': checkpoint.checkpointId,
      'aip.integrity.verdict': verdict,
      'aip.integrity.agent_id': checkpoint.agentId,
      'aip.integrity.card_id': checkpoint.cardId,
      'aip.integrity.session_id': checkpoint.sessionId,
      'aip.integrity.thinking_hash': checkpoint.hashes.thinking,
      'aip.integrity.proceed': proceed,
      'aip.integrity.recommended_action': recommendedAction,
      'aip.integrity.concerns_count': concerns.length,
      'aip.integrity.analysis_model': checkpoint.analysisModel,
      'aip.integrity.analysis_duration_ms': durationMs,
      'aip.conscience.values_checked_count': conscienceContext.values_checked.length,
      'aip.conscience.conflicts_count': conscienceContext.conflicts.length,
      'aip.window.size': window.size,
      'aip.window.integrity_ratio': window.integrityRatio,
      'aip.window.drift_alert_active': window.driftAlertActive,
      // The same two again, under the names that tools for evaluations look for.
      'gen_ai.evaluation.verdict': verdict,
      'gen_ai.evaluation.score': window.integrityRatio,
    },
    events: [
      // Description and evidence quote what the agent thought, so they stay out.
      ...concerns.map(({ category, severity }) => ({
        name: 'aip.concern',
        attributes: { 'aip.concern.category': category, 'aip.concern.severity': severity },
      })),
      ...(window.driftAlertActive ? [{ name: 'aip.drift_alert', attributes: {} }] : []),
    ],
  }
}
