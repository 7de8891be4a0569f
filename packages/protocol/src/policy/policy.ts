import type { AlignmentCard } from '../cards/card.ts'
import type { ApprovalBlock } from './approval-rule.ts'
import type { LayeredSessionRules, SessionRules } from './session-rules.ts'

/**
 * The policy document: which tools an agent may use, for which actions of its card. It is stored
 * and returned as written, so its fields keep their published names in code.
 */

/** Weakest first, like all lists in this file: a later entry is stricter. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export const UNMAPPED_TOOL_ACTIONS = ['allow', 'warn', 'block'] as const
export const CHANGED_TOOL_ACTIONS = ['warn', 'escalate', 'block'] as const
export const ENFORCEMENT_MODES = ['off', 'warn', 'enforce'] as const

export const POLICY_TRIGGER_ACTIONS = ['escalate', 'warn', 'deny'] as const
export const POLICY_SCOPES = ['agent', 'org', 'team'] as const

export type Severity = (typeof SEVERITIES)[number]
export type EnforcementMode = (typeof ENFORCEMENT_MODES)[number]
export type PolicyScope = (typeof POLICY_SCOPES)[number]

export type CapabilityMapping = {
  description?: string
  /** Patterns over tool names. */
  tools: readonly string[]
  card_actions: readonly string[]
}

export type ForbiddenRule = { pattern: string; reason: string; severity: Severity }

export type PolicyTrigger = {
  condition: string
  action: (typeof POLICY_TRIGGER_ACTIONS)[number]
  reason: string
  severity?: Severity
  /** Only for action escalate. */
  approval?: ApprovalBlock
}

export type PolicyDefaults = {
  unmapped_tool_action: (typeof UNMAPPED_TOOL_ACTIONS)[number]
  unmapped_severity: Severity
  fail_open: boolean
  enforcement_mode: EnforcementMode
  grace_period_hours: number
  /** For every rule that escalates and has no block of its own. */
  approval?: ApprovalBlock
  /** How often the same call is let through in a session; null for any number. */
  max_identical_calls?: number | null
  /** The action for a tool whose definition differs from the pinned one; `escalate` if unset. */
  changed_tool_action?: (typeof CHANGED_TOOL_ACTIONS)[number]
}

/** A document without `meta`: the contribution of a layer to a merge. */
export type PolicyRules = SessionRules & {
  capability_mappings: Readonly<Record<string, CapabilityMapping>>
  forbidden: readonly ForbiddenRule[]
  escalation_triggers: readonly PolicyTrigger[]
  /** An unset default is inherited. */
  defaults: Readonly<Partial<PolicyDefaults>>
}

export type PolicyMeta = {
  schema_version: string
  name: string
  description?: string
  scope: PolicyScope | 'resolved' | 'transaction'
}

export type PolicyDocument = PolicyRules & { meta: PolicyMeta & { scope: PolicyScope } }

/** Merged from layers and complete: the form that is evaluated. */
export type MergedPolicy = Omit<PolicyRules, keyof SessionRules | 'escalation_triggers'> &
  LayeredSessionRules & {
    meta: PolicyMeta
    escalation_triggers: readonly CompleteTrigger[]
    defaults: Readonly<PolicyDefaults>
  }

export type CompleteTrigger = PolicyTrigger & { severity: Severity }

/** The part of an alignment card that policies are checked against. */
export type PolicyCard = Pick<AlignmentCard, 'autonomy_envelope'>

/** The defaults if no layer sets any. */
export const BUILT_IN_DEFAULTS: Readonly<PolicyDefaults> = {
  unmapped_tool_action: 'warn',
  unmapped_severity: 'medium',
  fail_open: false,
  enforcement_mode: 'warn',
  grace_period_hours: 24,
}

const TRIGGER_SEVERITIES: Readonly<Record<PolicyTrigger['action'], Severity>> = {
  deny: 'high',
  escalate: 'medium',
  warn: 'low',
}

export function triggerSeverity(trigger: PolicyTrigger): Severity {
  return trigger.severity ?? TRIGGER_SEVERITIES[trigger.action]
}

/** Other severities are findings that block nothing. */
export function isBlocking(severity: Severity): boolean {
  return severity === 'high' || severity === 'critical'
}

export function stricterSeverity(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) >= SEVERITIES.indexOf(b) ? a : b
}
