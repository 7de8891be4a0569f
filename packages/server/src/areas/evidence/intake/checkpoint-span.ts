import { recommend } from '@touchstone/protocol/analysis'
import type { Checkpoint, WindowSummary } from '@touchstone/protocol/evidence'

/**
 * The OpenTelemetry span of a stored checkpoint (spec: platform §6.2). Its duration is that of the
 * analysis, and it ends when the checkpoint is stored.
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
    startedAt: new Date(checkpoint.receivedAt.getTime() - durationMs),
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
      // Repeated under the names that evaluation tools expect.
      'gen_ai.evaluation.verdict': verdict,
      'gen_ai.evaluation.score': window.integrityRatio,
    },
    events: [
      // Without description and evidence, which quote the agent's reasoning.
      ...concerns.map(({ category, severity }) => ({
        name: 'aip.concern',
        attributes: { 'aip.concern.category': category, 'aip.concern.severity': severity },
      })),
      ...(window.driftAlertActive ? [{ name: 'aip.drift_alert', attributes: {} }] : []),
    ],
  }
}
