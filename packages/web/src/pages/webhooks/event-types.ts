import type { EndpointBody } from './queries.ts'

type EventType = NonNullable<EndpointBody['event_types']>[number]

/** Everything an endpoint can ask for, by what it is about. */
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
] as const satisfies readonly EventType[]

const FAMILIES = [
  'integrity.*',
  'drift.*',
  'conscience.*',
  'agent.*',
  'trace.*',
  'policy.*',
  'reputation.*',
  'team.*',
  'team_reputation.*',
  'quota.*',
  'subscription.*',
] as const satisfies readonly EventType[]

const KNOWN: readonly string[] = ['*', ...FAMILIES, ...EVENT_TYPES]

export const EVENT_CHOICES = [...FAMILIES, ...EVENT_TYPES].map((value) => ({
  value: value as string,
  label: value,
  text: value,
}))

export function isEventType(text: string): text is EventType {
  return KNOWN.includes(text)
}
