import { type Alert, messageOf, type Resolution } from './alert.ts'

/** spec: evidence §7. */
export function detectedEvent(alert: Alert) {
  return {
    type: 'drift.detected',
    data: {
      alert_id: alert.alertId,
      agent_id: alert.agentId,
      session_id: alert.sessionId,
      kind: alert.kind,
      severity: alert.severity,
      drift_direction: alert.direction,
      similarity: alert.similarity,
      sustained_checks: alert.sustained,
      message: messageOf(alert),
    },
  } as const
}

/** `acknowledged_by` is null if the streak ended by itself. */
export function resolvedEvent(alert: Alert & { resolution: Resolution }) {
  return {
    type: 'drift.resolved',
    data: {
      alert_id: alert.alertId,
      agent_id: alert.agentId,
      org_id: alert.orgId,
      resolution: alert.resolution,
      acknowledged_by: alert.acknowledgedBy,
    },
  } as const
}
