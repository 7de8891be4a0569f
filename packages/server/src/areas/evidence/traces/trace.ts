/**
 * The AP-trace: one decision as its agent reports it. Like the card it is a document, compared by
 * its canonical JSON, so its members keep their published names. The wire schema guards its shape.
 */
export const ACTION_TYPES = ['recommend', 'execute', 'escalate', 'deny'] as const
export const ACTION_CATEGORIES = ['bounded', 'escalation_trigger', 'forbidden'] as const
export const ESCALATION_STATUSES = ['pending', 'approved', 'denied', 'timeout'] as const

/** 64 KB, counted over the canonical JSON in UTF-8. */
export const TRACE_BYTES_MAX = 65_536

/** Clocks differ a little; a trace further ahead was not made yet. */
export const AHEAD_MS_MAX = 5 * 60 * 1000

export type Alternative = {
  option_id: string
  description: string
  score?: number
  scoring_factors?: Readonly<Record<string, unknown>>
  flags?: readonly string[]
}

export type Escalation = {
  evaluated: boolean
  required: boolean
  reason: string
  triggers_checked?: readonly { trigger: string; matched: boolean; value_observed?: unknown }[]
  escalation_id?: string
  escalation_status?: (typeof ESCALATION_STATUSES)[number]
  principal_response?: { decision?: string; timestamp?: string; conditions?: unknown }
}

export type Trace = {
  trace_id: string
  agent_id: string
  card_id: string
  timestamp: string
  action: {
    type: (typeof ACTION_TYPES)[number]
    name: string
    category: (typeof ACTION_CATEGORIES)[number]
    target?: { type?: string; identifier?: string }
    parameters?: Readonly<Record<string, unknown>>
  }
  decision: {
    selected: string
    selection_reasoning: string
    values_applied: readonly string[]
    confidence?: number
    alternatives_considered?: readonly Alternative[]
  }
  escalation?: Escalation
  context?: Readonly<Record<string, unknown>>
  tools?: readonly string[]
}

/** Compound actions are written as one name, `search, compare`. */
export function componentsOf(actionName: string): string[] {
  return actionName.split(', ')
}

/** Which tools policy looks at: those named, else the action itself when it was carried out. */
export function toolsOf(trace: {
  action: { type: string; name: string }
  tools?: readonly string[]
}): readonly string[] {
  return trace.tools ?? (trace.action.type === 'execute' ? [trace.action.name] : [])
}

/** What the policy in force said of a trace as it came in (02 §2.4). */
export type TracePolicy = {
  verdict: 'pass' | 'warn' | 'fail'
  /** With the warnings, a count. */
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  /** The violating ones. */
  tools: readonly string[]
}

/** Put in place of a missing block when the linked checkpoint was a boundary violation (§3.1). */
export const ESCALATION_OF_VIOLATION: Escalation = {
  evaluated: true,
  required: true,
  reason: 'integrity verdict boundary_violation',
  escalation_status: 'pending',
}
