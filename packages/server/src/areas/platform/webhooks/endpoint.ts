/** A subscription of an organisation to events, without its secrets. */
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

/** Per organisation (spec: interface, Events). */
export const ENDPOINTS_MAX = 5

export const DISABLED_BY_USER = 'disabled by user'
export const DISABLED_BY_FAILURES = '100 consecutive delivery failures'
export const DISABLED_WITH_ORG = 'organisation deleted'
/** Error of deliveries that were pending when their endpoint was disabled. */
export const UNSENT = 'endpoint disabled'

export type EndpointChange = {
  url?: string
  description?: string | null
  eventTypes?: readonly string[]
  isActive?: boolean
}

/**
 * Enabling an enabled endpoint or disabling a disabled one changes nothing (spec: platform §5.1).
 */
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
