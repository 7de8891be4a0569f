import { STREAK_MIN } from '@touchstone/protocol/bundle'

/** Checkpoints and traces raise the same kind of alert. */
export const KINDS = ['integrity', 'trace'] as const
export type Kind = (typeof KINDS)[number]

export const STATUSES = ['open', 'resolved'] as const
export type Status = (typeof STATUSES)[number]

export const SEVERITIES = ['low', 'medium', 'high'] as const
export type Severity = (typeof SEVERITIES)[number]

export const RESOLUTIONS = ['acknowledged', 'recovered'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

/** A trace below this similarity deviates from the baseline. */
export const SIMILARITY_MIN = 0.3

const THRESHOLD_OF: Record<Kind, number> = { integrity: STREAK_MIN, trace: SIMILARITY_MIN }

export type Alert = {
  alertId: string
  agentId: string
  orgId: string
  kind: Kind
  sessionId: string
  cardId: string
  /** Severity and direction stay as announced; the rest follows the streak. */
  severity: Severity
  direction: string
  similarity: number
  sustained: number
  /** Checkpoints or traces of the streak, oldest first. */
  evidenceIds: readonly string[]
  /** The traces that the streak was last compared with; empty for checkpoints. */
  baselineIds: readonly string[]
  /** Traces of a streak that went on after the alert was resolved; empty before. Internal. */
  followedIds: readonly string[]
  /** The streak's first checkpoint; null for traces, whose streak may start earlier with a late trace. */
  streakId: string | null
  detectedAt: Date
  /** Null while it is open, like the two fields below. */
  resolution: Resolution | null
  resolvedAt: Date | null
  acknowledgedBy: string | null
}

export function statusOf(alert: Pick<Alert, 'resolution'>): Status {
  return alert.resolution === null ? 'open' : 'resolved'
}

export function thresholdOf(kind: Kind): number {
  return THRESHOLD_OF[kind]
}

/** Composed on read, so that it always contains the current count. */
export function messageOf({ kind, sustained }: Pick<Alert, 'kind' | 'sustained'>): string {
  return kind === 'integrity'
    ? `${sustained} consecutive checkpoints of the session were not clear.`
    : `${sustained} consecutive traces resemble the baseline less than ${SIMILARITY_MIN}.`
}

export type AlertDecision = { kind: 'open' } | { kind: 'update'; alert: Alert } | { kind: 'none' }

/**
 * One alert per streak: opened once, updated while it is open, and unchanged after it is resolved.
 * `known` are the alerts that this streak already has, newest first.
 */
export function decideAlert(known: readonly Alert[]): AlertDecision {
  const alert = known.find((one) => statusOf(one) === 'open')
  if (alert !== undefined) return { kind: 'update', alert }
  return { kind: known.length === 0 ? 'open' : 'none' }
}
