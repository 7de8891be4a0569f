import type { Verification } from './verify-trace.ts'

/** How long it took, from when on. */
export type Timing = { startedAt: Date; durationMs: number }

/** A verified trace as tracing shows it (04 §7.2). A trace that is stored nowhere may have no id. */
export function traceSpan(
  verified: Timing & {
    traceId: string | undefined
    cardId: string | undefined
    verification: Pick<Verification, 'verified' | 'violation_details' | 'warnings'>
  },
) {
  const { startedAt, durationMs, verification } = verified
  const { verified: result, violation_details: violations, warnings } = verification
  return {
    name: 'aap.verify_trace',
    startedAt,
    durationMs,
    attributes: {
      'aap.verification.result': result,
      'aap.verification.violations_count': violations.length,
      'aap.verification.warnings_count': warnings.length,
      'aap.verification.trace_id': verified.traceId,
      'aap.verification.card_id': verified.cardId,
      'aap.verification.duration_ms': durationMs,
    },
    // Descriptions name actions and values in the agent's own words, so they stay out.
    events: violations.map(({ type, severity }) => ({
      name: 'aap.violation',
      attributes: { 'aap.violation.type': type, 'aap.violation.severity': severity },
    })),
  }
}

/** A look for drift as tracing shows it. Alerts are counted by the look that opened them. */
export function driftSpan(look: Timing & { tracesAnalyzed: number; alertsOpened: number }) {
  const { startedAt, durationMs, tracesAnalyzed, alertsOpened } = look
  return {
    name: 'aap.detect_drift',
    startedAt,
    durationMs,
    attributes: {
      'aap.drift.alerts_count': alertsOpened,
      'aap.drift.traces_analyzed': tracesAnalyzed,
    },
    events: [],
  }
}
