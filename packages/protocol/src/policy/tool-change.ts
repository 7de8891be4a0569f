import { approvalRuleOf } from './approval-rule.ts'
import type { CHANGED_TOOL_ACTIONS, PolicyDefaults } from './policy.ts'
import type { SessionFinding } from './session-demand.ts'

export type ChangedToolAction = (typeof CHANGED_TOOL_ACTIONS)[number]

/** The action if no layer sets one. */
const BUILT_IN_ACTION: ChangedToolAction = 'escalate'

/** Names the default in violations, as `max_identical_calls` does for loops. */
const RULE = 'changed_tool_action'

const REASON =
  'The definition of this tool has changed since it was pinned, and nobody has accepted the change'

export function changedToolAction({
  changed_tool_action: action,
}: Pick<Partial<PolicyDefaults>, 'changed_tool_action'>): ChangedToolAction {
  return action ?? BUILT_IN_ACTION
}

/**
 * The finding about a call of a tool whose definition differs from the pinned one. Undefined in policy
 * mode off, in which no rule applies.
 */
export function changedToolFinding(
  defaults: Readonly<PolicyDefaults>,
  tool: string,
): SessionFinding | undefined {
  if (defaults.enforcement_mode === 'off') return undefined
  const action = changedToolAction(defaults)
  const found = { type: 'tool_changed', tool, reason: REASON } as const
  if (action === 'warn') return { warning: found }
  const common = { ...found, severity: 'high', rule: RULE } as const
  if (action === 'block') return { violation: { ...common, blocking: true } }
  const approval = approvalRuleOf(defaults.approval)
  return { violation: { ...common, blocking: false, action, approval } }
}
