import { EVERY_EVENT } from '@touchstone/protocol/events'

/** Sent by the test action alone; nobody can subscribe to it. */
export const TEST_TYPE = 'webhook.test'

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
  if (wanted === EVERY_EVENT || wanted === name) return true
  // 04 §5.1: the fifth kind of trace event has a family of its own.
  if (wanted === 'trace.*') return isTraceType(name)
  return wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -1))
}
