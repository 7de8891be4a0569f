import type { Assessment, TeamAssessment } from './queries.ts'

export type ActionType = Assessment['context']['action_type']
export type Tolerance = Assessment['context']['risk_tolerance']
export type Coordination = NonNullable<TeamAssessment['context']['coordination_mode']>

/** An API value and its label. */
export type Option<Value extends string> = { value: Value; label: string }

export const ACTION_TYPES: readonly Option<ActionType>[] = [
  { value: 'tool_invocation', label: 'Call a tool' },
  { value: 'data_access', label: 'Read data' },
  { value: 'financial_transaction', label: 'Spend money' },
  { value: 'task_delegation', label: 'Delegate a task' },
  { value: 'autonomous_operation', label: 'Operate autonomously' },
  { value: 'multi_agent_coordination', label: 'Coordinate with other agents' },
]

export const TOLERANCES: readonly Option<Tolerance>[] = [
  { value: 'conservative', label: 'Conservative' },
  { value: 'moderate', label: 'Moderate' },
  { value: 'aggressive', label: 'Aggressive' },
]

export const COORDINATIONS: readonly Option<Coordination>[] = [
  { value: 'parallel', label: 'Parallel' },
  { value: 'sequential', label: 'Sequential' },
  { value: 'hierarchical', label: 'Hierarchical' },
  { value: 'consensus', label: 'Consensus' },
]

export function labelOf<Value extends string>(
  options: readonly Option<Value>[],
  value: Value,
): string {
  return options.find((option) => option.value === value)?.label ?? value
}
