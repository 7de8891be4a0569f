import type { Verification } from './verify-trace.ts'

/** The start and duration of an operation. */
export type Timing = { startedAt: Date; durationMs: number }

/** The OpenTelemetry span of a verification (spec: platform §6.2). An unstored trace may have no id. */
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
    // Without descriptions, which quote the agent's actions and values.
    events: violations.map(({ type, severity }) => ({
      name: 'aap.violation',
      attributes: { 'aap.violation.type': type, 'aap.violation.severity': severity },
    })),
  }
}

/** The OpenTelemetry span of a check for drift, with the alerts that it opened. */
export function driftSpan(check: Timing & { tracesAnalyzed: number; alertsOpened: number }) {
  const { startedAt, durationMs, tracesAnalyzed, alertsOpened } = check
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
