import type { Alert } from './alert.ts'

export const DETECTED_AT = new Date('2026-03-01T12:00:00.000Z')

/** An open integrity alert of three checkpoints, with changes. */
export function anAlert(changes: Partial<Alert> = {}): Alert {
  return {
    alertId: 'ida-1',
    agentId: 'agent-1',
    orgId: 'org-1',
    kind: 'integrity',
    sessionId: 's1',
    cardId: 'ac-1',
    severity: 'medium',
    direction: 'unknown',
    similarity: 0.4,
    sustained: 3,
    evidenceIds: ['ic-1', 'ic-2', 'ic-3'],
    baselineIds: [],
    followedIds: [],
    streakId: 'ic-1',
    detectedAt: DETECTED_AT,
    resolution: null,
    resolvedAt: null,
    acknowledgedBy: null,
    ...changes,
  }
}

/** The same for traces. */
export function aTraceAlert(changes: Partial<Alert> = {}): Alert {
  return anAlert({
    alertId: 'da-1',
    kind: 'trace',
    streakId: null,
    evidenceIds: ['tr-1', 'tr-2', 'tr-3'],
    baselineIds: ['tr-a', 'tr-b', 'tr-c'],
    ...changes,
  })
}

export const ACKNOWLEDGED: Partial<Alert> = {
  resolution: 'acknowledged',
  resolvedAt: DETECTED_AT,
  acknowledgedBy: 'user-1',
}
