import { EVENT_FAMILIES, EVENT_SUBSCRIPTIONS, EVENT_TYPES } from '@touchstone/protocol/events'
import type { EndpointBody } from './queries.ts'

type EventType = NonNullable<EndpointBody['event_types']>[number]

const KNOWN: readonly EventType[] = EVENT_SUBSCRIPTIONS
const NAMES: ReadonlySet<string> = new Set(KNOWN)

export const EVENT_CHOICES = [...EVENT_FAMILIES, ...EVENT_TYPES].map((value: string) => ({
  value,
  label: value,
  text: value,
}))

export function isEventType(text: string): text is EventType {
  return NAMES.has(text)
}
