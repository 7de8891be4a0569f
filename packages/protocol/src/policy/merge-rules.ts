import { type ApprovalBlock, mergeApproval } from './approval-rule.ts'
import { conditionKey } from './condition-syntax.ts'
import {
  BUILT_IN_DEFAULTS,
  CHANGED_TOOL_ACTIONS,
  type CompleteTrigger,
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
import {
  joinSessionRules,
  type LayeredSessionRules,
  type LayerName,
  withLayer,
} from './session-rules.ts'

/**
 * Merges two layers of policy. The upper one, nearer to the agent, may add rules and reword
 * reasons; it never weakens what the lower layer demands.
 */

type Layers<Part> = { lower: Part; upper: Part }

/** All rules except the mappings, which are joined in one place and intersected in another. */
export type SharedRules = Pick<PolicyRules, 'forbidden' | 'escalation_triggers' | 'defaults'> &
  LayeredSessionRules

/** A document or merged policy as a layer. Rules that already have a layer keep it. */
export function sharedOf(rules: PolicyRules, layer: LayerName): SharedRules {
  const { forbidden, escalation_triggers, defaults } = rules
  return { forbidden, escalation_triggers, defaults, ...withLayer(rules, layer) }
}

export function mergeShared({ lower, upper }: Layers<SharedRules>): SharedRules {
  return {
    forbidden: mergeForbidden({ lower: lower.forbidden, upper: upper.forbidden }),
    escalation_triggers: mergeTriggers({ lower, upper }),
    defaults: mergeDefaults({ lower: lower.defaults, upper: upper.defaults }),
    ...joinSessionRules(lower, upper),
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

function mergeTriggers({ lower, upper }: Layers<SharedRules>): PolicyTrigger[] {
  const keyOf = (trigger: PolicyTrigger) => `${trigger.action} ${conditionKey(trigger.condition)}`
  const merged = new Map(lower.escalation_triggers.map((trigger) => [keyOf(trigger), trigger]))
  for (const trigger of upper.escalation_triggers) {
    const key = keyOf(trigger)
    const below = merged.get(key)
    const severity =
      below === undefined
        ? triggerSeverity(trigger)
        : stricterSeverity(triggerSeverity(below), triggerSeverity(trigger))
    const approval =
      below === undefined
        ? trigger.approval
        : mergedBlock({ lower: below.approval, upper: trigger.approval }, { lower, upper })
    merged.set(key, { ...trigger, severity, ...(approval === undefined ? {} : { approval }) })
  }
  return [...merged.values()]
}

/**
 * The block of a trigger that both layers have. Where one has none, the default of its layer stands for
 * it; if neither has one, the merged default will.
 */
function mergedBlock(
  own: Layers<ApprovalBlock | undefined>,
  { lower, upper }: Layers<SharedRules>,
): ApprovalBlock | undefined {
  if (own.lower === undefined && own.upper === undefined) return undefined
  return mergeApproval({
    lower: own.lower ?? lower.defaults.approval,
    upper: own.upper ?? upper.defaults.approval,
  })
}

/** Approval blocks are merged field by field; every other default is the stricter one. */
type RankedDefaults = Omit<Required<PolicyDefaults>, 'approval'>

/** The strictness of a value, relative to other values of the same default. */
const STRICTNESS: { [Key in keyof RankedDefaults]: (value: RankedDefaults[Key]) => number } = {
  unmapped_tool_action: (action) => UNMAPPED_TOOL_ACTIONS.indexOf(action),
  unmapped_severity: (severity) => SEVERITIES.indexOf(severity),
  fail_open: (open) => (open ? 0 : 1),
  enforcement_mode: (mode) => ENFORCEMENT_MODES.indexOf(mode),
  grace_period_hours: (hours) => -hours,
  max_identical_calls: (calls) => -(calls ?? Number.POSITIVE_INFINITY),
  changed_tool_action: (action) => CHANGED_TOOL_ACTIONS.indexOf(action),
}

type DefaultName = keyof RankedDefaults
type SomeDefaults = Readonly<Partial<RankedDefaults>>

const DEFAULT_NAMES: readonly DefaultName[] = [
  'unmapped_tool_action',
  'unmapped_severity',
  'fail_open',
  'enforcement_mode',
  'grace_period_hours',
  'max_identical_calls',
  'changed_tool_action',
]

function mergeDefaults({ lower, upper }: Layers<PolicyRules['defaults']>): PolicyRules['defaults'] {
  const approval = mergeApproval({ lower: lower.approval, upper: upper.approval })
  const ranked = mergeRanked({ lower, upper })
  return approval === undefined ? ranked : { ...ranked, approval }
}

function mergeRanked({ lower, upper }: Layers<SomeDefaults>): SomeDefaults {
  const merged: Partial<RankedDefaults> = { ...lower, ...upper }
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
  value: RankedDefaults[Name] | undefined
  floor: RankedDefaults[Name]
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
export function completed(rules: SharedRules) {
  const { escalation_triggers, defaults } = rules
  return {
    ...rules,
    escalation_triggers: escalation_triggers.map(
      (trigger): CompleteTrigger => ({ ...trigger, severity: triggerSeverity(trigger) }),
    ),
    defaults: { ...BUILT_IN_DEFAULTS, ...defaults },
  }
}

/** The oldest version that has all fields of the rules. */
export function schemaVersionOf(rules: SharedRules): '1.0' | '1.1' {
  const { escalation_triggers, defaults, limits, flows, model_limits } = rules
  const isNewer =
    limits !== undefined ||
    flows !== undefined ||
    model_limits !== undefined ||
    defaults.approval !== undefined ||
    defaults.max_identical_calls !== undefined ||
    defaults.changed_tool_action !== undefined ||
    escalation_triggers.some(({ approval }) => approval !== undefined)
  return isNewer ? '1.1' : '1.0'
}
