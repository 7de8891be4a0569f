import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable, PageFields, PageQuery, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import {
  type Alert as AlertValue,
  KINDS,
  messageOf,
  RESOLUTIONS,
  SEVERITIES,
  STATUSES,
  statusOf,
  thresholdOf,
} from './alert.ts'

export const AlertParams = Type.Object({ alert_id: Type.String() })

export const AlertQuery = Type.Object({
  kind: Type.Optional(NamedEnum('DriftKind', [...KINDS])),
  status: Type.Optional(NamedEnum('DriftStatus', [...STATUSES])),
  ...PageQuery.properties,
})

export const Alert = NamedObject('DriftAlert', {
  alert_id: Type.String(),
  agent_id: Type.String(),
  kind: NamedEnum('DriftKind', [...KINDS]),
  session_id: Type.String(),
  card_id: Type.String(),
  status: NamedEnum('DriftStatus', [...STATUSES]),
  severity: NamedEnum('DriftSeverity', [...SEVERITIES]),
  similarity: Type.Number(),
  threshold: Type.Number({
    description: 'integrity: 3 in a row; trace: a similarity of 0.30',
  }),
  sustained: Type.Integer(),
  drift_direction: Type.String(),
  checkpoint_ids: Type.Array(Type.String()),
  trace_ids: Type.Array(Type.String()),
  message: Type.String(),
  detected_at: Type.String(),
  resolved_at: Nullable(Type.String()),
  resolution: Nullable(NamedEnum('DriftResolution', [...RESOLUTIONS])),
  acknowledged_by: Nullable(Type.String()),
})

export const AcknowledgeBody = NamedObject('DriftAcknowledgement', {
  alert_ids: Type.Array(Type.String({ maxLength: 128 }), { minItems: 1, maxItems: 100 }),
})

export const AcknowledgedAlerts = NamedObject('AcknowledgedDriftAlerts', {
  alerts: Type.Array(Alert),
})

export const AlertPage = NamedObject('DriftAlertPage', { alerts: Type.Array(Alert), ...PageFields })

export function toAlert(alert: AlertValue): Static<typeof Alert> {
  const { kind, evidenceIds } = alert
  return {
    alert_id: alert.alertId,
    agent_id: alert.agentId,
    kind,
    session_id: alert.sessionId,
    card_id: alert.cardId,
    status: statusOf(alert),
    severity: alert.severity,
    similarity: alert.similarity,
    threshold: thresholdOf(kind),
    sustained: alert.sustained,
    drift_direction: alert.direction,
    checkpoint_ids: kind === 'integrity' ? [...evidenceIds] : [],
    trace_ids: kind === 'trace' ? [...evidenceIds] : [],
    message: messageOf(alert),
    detected_at: alert.detectedAt.toISOString(),
    resolved_at: alert.resolvedAt?.toISOString() ?? null,
    resolution: alert.resolution,
    acknowledged_by: alert.acknowledgedBy,
  }
}

export function toAlertPage(page: Page<AlertValue>): Static<typeof AlertPage> {
  return {
    alerts: page.items.map(toAlert),
    ...toPageFields(page),
  }
}
