import { conditionKey } from './condition-syntax.ts'
import {
  BUILT_IN_DEFAULTS,
  ENFORCEMENT_MODES,
  type ForbiddenRule,
  type PolicyDefaults,
  type PolicyRules,
  type PolicyTrigger,
  SEVERITIES,
  stricterSeverity,
  triggerSeverity,
  UNMAPPED_TOOL_ACTIONS,
} from './policy.ts'

/**
 * Merges two layers of policy. The upper one, nearer to the agent, may add rules and reword
 * reasons; it never weakens what the lower layer demands.
 */

type Layers<Part> = { lower: Part; upper: Part }

/** All rules except the mappings, which are joined in one place and intersected in another. */
export type SharedRules = Omit<PolicyRules, 'capability_mappings'>

export function mergeShared({ lower, upper }: Layers<SharedRules>): SharedRules {
  return {
    forbidden: mergeForbidden({ lower: lower.forbidden, upper: upper.forbidden }),
    escalation_triggers: mergeTriggers({
      lower: lower.escalation_triggers,
      upper: upper.escalation_triggers,
    }),
    defaults: mergeDefaults({ lower: lower.defaults, upper: upper.defaults }),
  }
}

/** Lower before upper; a rule for an existing pattern makes it stricter in place. */
function mergeForbidden({ lower, upper }: Layers<readonly ForbiddenRule[]>): ForbiddenRule[] {
  const merged = new Map(lower.map((rule) => [rule.pattern, rule]))
  for (const rule of upper) {
    const below = merged.get(rule.pattern)
    const isSofter =
      below !== undefined && stricterSeverity(rule.severity, below.severity) !== rule.severity
    merged.set(rule.pattern, isSofter ? below : rule)
  }
  return [...merged.values()]
}

function mergeTriggers({ lower, upper }: Layers<readonly PolicyTrigger[]>): PolicyTrigger[] {
  const keyOf = (trigger: PolicyTrigger) => `${trigger.action} ${conditionKey(trigger.condition)}`
  const merged = new Map(lower.map((trigger) => [keyOf(trigger), trigger]))
  for (const trigger of upper) {
    const key = keyOf(trigger)
    const below = merged.get(key)
    const severity =
      below === undefined
        ? triggerSeverity(trigger)
        : stricterSeverity(triggerSeverity(below), triggerSeverity(trigger))
    merged.set(key, { ...trigger, severity })
  }
  return [...merged.values()]
}

/** The strictness of a value, relative to other values of the same default. */
const STRICTNESS: { [Key in keyof PolicyDefaults]: (value: PolicyDefaults[Key]) => number } = {
  unmapped_tool_action: (action) => UNMAPPED_TOOL_ACTIONS.indexOf(action),
  unmapped_severity: (severity) => SEVERITIES.indexOf(severity),
  fail_open: (open) => (open ? 0 : 1),
  enforcement_mode: (mode) => ENFORCEMENT_MODES.indexOf(mode),
  grace_period_hours: (hours) => -hours,
}

type DefaultName = keyof PolicyDefaults
type SomeDefaults = Readonly<Partial<PolicyDefaults>>

const DEFAULT_NAMES: readonly DefaultName[] = [
  ...(['unmapped_tool_action', 'unmapped_severity', 'fail_open'] as const),
  ...(['enforcement_mode', 'grace_period_hours'] as const),
]

function mergeDefaults({ lower, upper }: Layers<SomeDefaults>): SomeDefaults {
  const merged: Partial<PolicyDefaults> = { ...lower, ...upper }
  const raise = <Name extends DefaultName>(name: Name) => {
    const floor = lower[name]
    if (floor !== undefined && isWeaker({ name, value: merged[name], floor })) merged[name] = floor
  }
  for (const name of DEFAULT_NAMES) raise(name)
  return merged
}

function isWeaker<Name extends DefaultName>({
  name,
  value,
  floor,
}: {
  name: Name
  value: PolicyDefaults[Name] | undefined
  floor: PolicyDefaults[Name]
}): boolean {
  return value !== undefined && STRICTNESS[name](value) < STRICTNESS[name](floor)
}

/** Defaults without effect, because the lower layer demands more. */
export function weakerDefaults({ lower, upper }: Layers<SomeDefaults>): DefaultName[] {
  return DEFAULT_NAMES.filter((name) => {
    const floor = lower[name]
    return floor !== undefined && isWeaker({ name, value: upper[name], floor })
  })
}

/**
 * Completes the rules: unset defaults become the built-in ones, and severities are made explicit.
 */
export function completed({ forbidden, escalation_triggers, defaults }: SharedRules) {
  return {
    forbidden,
    escalation_triggers: escalation_triggers.map((trigger) => ({
      ...trigger,
      severity: triggerSeverity(trigger),
    })),
    defaults: { ...BUILT_IN_DEFAULTS, ...defaults },
  }
}
