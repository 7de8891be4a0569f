/**
 * The event types of webhooks and the names a webhook can subscribe to (spec: platform §5.1, §5.3).
 */

/** The 33 types, in the order of spec: platform §5.3. */
export const EVENT_TYPES = [
  'integrity.checkpoint',
  'integrity.violation',
  'drift.detected',
  'drift.resolved',
  'conscience.escalation',
  'conscience.values_updated',
  'agent.paused',
  'agent.resumed',
  'agent.killed',
  'trace.created',
  'trace.verified',
  'trace.failed',
  'trace.escalation_required',
  'policy.violation',
  'reputation.score_changed',
  'reputation.grade_changed',
  'team.created',
  'team.archived',
  'team.member_added',
  'team.member_removed',
  'team.card_updated',
  'team_reputation.score_changed',
  'team_reputation.grade_changed',
  'quota.team_reputation_warning',
  'quota.team_reputation_exceeded',
  'quota.warning',
  'quota.exceeded',
  'subscription.status_changed',
  'decision.blocked',
  'decision.escalated',
  'decision.bypassed',
  'escalation.resolved',
  'log.unwitnessed',
] as const

const FAMILIES = [
  'integrity',
  'drift',
  'conscience',
  'agent',
  'trace',
  'policy',
  'reputation',
  'team',
  'team_reputation',
  'quota',
  'subscription',
  'decision',
  'escalation',
  'log',
] as const

export const EVENT_FAMILIES = FAMILIES.map((family) => `${family}.*` as const)

export const EVERY_EVENT = '*'

/** The values allowed in `event_types`. */
export const EVENT_SUBSCRIPTIONS = [...EVENT_TYPES, EVERY_EVENT, ...EVENT_FAMILIES] as const
