/**
 * The AP-trace: one decision as its agent reports it. Like the card it is a document that is compared
 * by its canonical JSON, so its members have their published names. The wire schema validates it.
 */
export const ACTION_TYPES = ['recommend', 'execute', 'escalate', 'deny'] as const
export const ACTION_CATEGORIES = ['bounded', 'escalation_trigger', 'forbidden'] as const
export const ESCALATION_STATUSES = ['pending', 'approved', 'denied', 'timeout'] as const

/** 64 KB of canonical JSON in UTF-8. */
export const TRACE_BYTES_MAX = 65_536

/** How far the sender's clock may be ahead. */
export const CLOCK_SKEW_MS_MAX = 5 * 60 * 1000

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
  /** The gateway's decision about this action. */
  decision_id?: string
}

/** Compound actions have one name, such as `search, compare`. */
export function componentsOf(actionName: string): string[] {
  return actionName.split(', ')
}

/** The tools that policies evaluate: those named, else the action itself if it was executed. */
export function toolsOf(trace: {
  action: { type: string; name: string }
  tools?: readonly string[]
}): readonly string[] {
  return trace.tools ?? (trace.action.type === 'execute' ? [trace.action.name] : [])
}

/** The result of the policy in force when the trace was stored (spec: governance §2.4). */
export type TracePolicy = {
  verdict: 'pass' | 'warn' | 'fail'
  /** Counts, like `warnings`. */
  violations: number
  warnings: number
  policy_id: string | null
  policy_version: number | null
  /** The tools that violate the policy. */
  tools: readonly string[]
}

/** Replaces a missing escalation if the linked checkpoint is a boundary violation (spec: evidence §3.1). */
export const ESCALATION_OF_VIOLATION: Escalation = {
  evaluated: true,
  required: true,
  reason: 'integrity verdict boundary_violation',
  escalation_status: 'pending',
}
