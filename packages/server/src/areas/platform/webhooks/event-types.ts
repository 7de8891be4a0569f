import { EVERY_EVENT } from '@touchstone/protocol/events'

/** Sent only by the test action; it cannot be subscribed to. */
export const TEST_TYPE = 'webhook.test'

/** Trace events have the trace envelope and X-AAP headers. */
export function isTraceType(type: string): boolean {
  return type.startsWith('trace.') || type === 'policy.violation'
}

/**
 * Whether a subscription covers an event, given all type names of the event. An empty list covers
 * all events (spec: interface, Webhook event_types).
 */
export function isSubscribed(eventTypes: readonly string[], names: readonly string[]): boolean {
  if (eventTypes.length === 0) return true
  return eventTypes.some((wanted) => names.some((name) => covers(wanted, name)))
}

function covers(wanted: string, name: string): boolean {
  if (wanted === EVERY_EVENT || wanted === name) return true
  // The fifth trace event, policy.violation, has another prefix (spec: platform §5.1).
  if (wanted === 'trace.*') return isTraceType(name)
  return wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -1))
}
