/** The 28 types of 04 §5.3, in its order. */
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
] as const

/** Sent by the test action alone; nobody can subscribe to it. */
export const TEST_TYPE = 'webhook.test'

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
] as const

const EVERYTHING = '*'

/** What may stand in `event_types`. */
export const SUBSCRIPTIONS = [
  ...EVENT_TYPES,
  EVERYTHING,
  ...FAMILIES.map((family) => `${family}.*` as const),
] as const

/** Told in the envelope of traces, with X-AAP headers. */
export function isTraceType(type: string): boolean {
  return type.startsWith('trace.') || type === 'policy.violation'
}

/**
 * Whether a subscription hears of an event, given every name the event goes by. An empty list is
 * everything (interface, Webhook event_types).
 */
export function isSubscribed(eventTypes: readonly string[], names: readonly string[]): boolean {
  if (eventTypes.length === 0) return true
  return eventTypes.some((wanted) => names.some((name) => covers(wanted, name)))
}

function covers(wanted: string, name: string): boolean {
  if (wanted === EVERYTHING || wanted === name) return true
  // 04 §5.1: the fifth kind of trace event has a family of its own.
  if (wanted === 'trace.*') return isTraceType(name)
  return wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -1))
}
