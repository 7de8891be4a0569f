import type { Assessment, TeamAssessment } from './queries.ts'

export type ActionType = Assessment['context']['action_type']
export type Tolerance = Assessment['context']['risk_tolerance']
export type Coordination = NonNullable<TeamAssessment['context']['coordination_mode']>

/** A value of the interface, and the words for it. */
export type Option<Value extends string> = { value: Value; label: string }

export const ACTION_TYPES: readonly Option<ActionType>[] = [
  { value: 'tool_invocation', label: 'Call a tool' },
  { value: 'data_access', label: 'Read data' },
  { value: 'financial_transaction', label: 'Spend money' },
  { value: 'task_delegation', label: 'Delegate a task' },
  { value: 'autonomous_operation', label: 'Work on its own' },
  { value: 'multi_agent_coordination', label: 'Work with other agents' },
]

export const TOLERANCES: readonly Option<Tolerance>[] = [
  { value: 'conservative', label: 'Conservative' },
  { value: 'moderate', label: 'Moderate' },
  { value: 'aggressive', label: 'Aggressive' },
]

export const COORDINATIONS: readonly Option<Coordination>[] = [
  { value: 'parallel', label: 'Side by side' },
  { value: 'sequential', label: 'One after the other' },
  { value: 'hierarchical', label: 'The first leads' },
  { value: 'consensus', label: 'By agreement' },
]

export function labelOf<Value extends string>(
  options: readonly Option<Value>[],
  value: Value,
): string {
  return options.find((option) => option.value === value)?.label ?? value
}
