import { STREAK_MIN } from '@touchstone/protocol/bundle'
/** What drift looks like once it is found: the same alert for checkpoints and for traces. */
export const KINDS = ['integrity', 'trace'] as const
export type Kind = (typeof KINDS)[number]

export const STATUSES = ['open', 'resolved'] as const
export type Status = (typeof STATUSES)[number]

export const SEVERITIES = ['low', 'medium', 'high'] as const
export type Severity = (typeof SEVERITIES)[number]

export const RESOLUTIONS = ['acknowledged', 'recovered'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

/** A trace below this no longer resembles the baseline. */
export const SIMILARITY_MIN = 0.3

const THRESHOLD_OF: Record<Kind, number> = { integrity: STREAK_MIN, trace: SIMILARITY_MIN }

export type Alert = {
  alertId: string
  agentId: string
  orgId: string
  kind: Kind
  sessionId: string
  cardId: string
  /** With the direction, what was announced when it opened; the rest follows the streak. */
  severity: Severity
  direction: string
  similarity: number
  sustained: number
  /** Checkpoints or traces of the streak, the oldest first. */
  evidenceIds: readonly string[]
  /** What the traces of the streak were last compared with; none for checkpoints. */
  baselineIds: readonly string[]
  /** Traces of the streak as it went on after the alert was resolved; none before. Not shown. */
  followedIds: readonly string[]
  /** The streak's first checkpoint. A trace that comes late may give its streak another start. */
  streakId: string | null
  detectedAt: Date
  /** Null while it is open, as the three below. */
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

/** Made when it is shown, so that it always tells the count as it stands. */
export function messageOf({ kind, sustained }: Pick<Alert, 'kind' | 'sustained'>): string {
  return kind === 'integrity'
    ? `${sustained} consecutive checkpoints of the session were not clear.`
    : `${sustained} consecutive traces resemble the baseline less than ${SIMILARITY_MIN}.`
}

export type AlertDecision = { kind: 'open' } | { kind: 'update'; alert: Alert } | { kind: 'none' }

/**
 * One alert per streak: opened once, updated while it is open, and left in peace once somebody
 * acknowledged it. `known`: the alerts that this streak already has, the newest first.
 */
export function decideAlert(known: readonly Alert[]): AlertDecision {
  const alert = known.find((one) => statusOf(one) === 'open')
  if (alert !== undefined) return { kind: 'update', alert }
  return { kind: known.length === 0 ? 'open' : 'none' }
}
