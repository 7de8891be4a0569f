/** An organisation's wish to hear of events, with what became of it. Never with its secrets. */
export type Endpoint = {
  endpointId: string
  orgId: string
  accountId: string
  url: string
  description: string | null
  eventTypes: readonly string[]
  isActive: boolean
  isEntitled: boolean
  consecutiveFailures: number
  disabledAt: Date | null
  disabledReason: string | null
  version: number
  createdAt: Date
  updatedAt: Date
}

/** Interface, Events. */
export const ENDPOINTS_MAX = 5

export const DISABLED_BY_USER = 'disabled by user'
export const DISABLED_BY_FAILURES = '100 consecutive delivery failures'
export const DISABLED_WITH_ORG = 'organisation deleted'
/** What is left unsent when an endpoint ends. */
export const UNSENT = 'endpoint disabled'

export type EndpointChange = {
  url?: string
  description?: string | null
  eventTypes?: readonly string[]
  isActive?: boolean
}

/** 04 §5.1. Switching on what is on, or off what is off, changes nothing. */
export function changed(before: Endpoint, change: EndpointChange, now: Date): Endpoint {
  const { isActive = before.isActive, ...fields } = change
  const after = { ...before, ...fields, version: before.version + 1, updatedAt: now }
  if (isActive === before.isActive) return after
  return isActive ? enabled(after) : disabled(after, DISABLED_BY_USER, now)
}

export function disabled(endpoint: Endpoint, reason: string, now: Date): Endpoint {
  return { ...endpoint, isActive: false, disabledAt: now, disabledReason: reason }
}

function enabled(endpoint: Endpoint): Endpoint {
  const open = { isActive: true, disabledAt: null, disabledReason: null }
  return { ...endpoint, ...open, consecutiveFailures: 0 }
}
