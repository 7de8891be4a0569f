/**
 * The names that a policy condition can refer to; in a call without `args`, every argument is
 * missing.
 */
export type ConditionEnvironment = {
  tool_count: number
  unmapped_tool_count: number
  forbidden_tool_count: number
  context: string
  action_type: string
  in_transaction: boolean
  hour: number
  weekday: number
} & Partial<ToolEnvironment>

/** Names that are known per tool only. */
export type ToolEnvironment = {
  tool: string
  server: string
  capability: string
  tool_mapped: boolean
  tool_forbidden: boolean
  tool_new: boolean
  args: Readonly<Record<string, unknown>>
}

/** `any` is a call argument, whose type is unknown before the call. */
export type ValueType = 'string' | 'number' | 'boolean' | 'any'

const TOOL_NAMES: ReadonlyMap<string, ValueType> = new Map<keyof ToolEnvironment, ValueType>([
  ['tool', 'string'],
  ['server', 'string'],
  ['capability', 'string'],
  ['tool_mapped', 'boolean'],
  ['tool_forbidden', 'boolean'],
  ['tool_new', 'boolean'],
])

const CALL_NAMES: ReadonlyMap<string, ValueType> = new Map<keyof ConditionEnvironment, ValueType>([
  ['tool_count', 'number'],
  ['unmapped_tool_count', 'number'],
  ['forbidden_tool_count', 'number'],
  ['context', 'string'],
  ['action_type', 'string'],
  ['in_transaction', 'boolean'],
  ['hour', 'number'],
  ['weekday', 'number'],
])

/** Undefined for an unknown name. */
export function typeOfName(name: string): ValueType | undefined {
  if (isArgument(name)) return 'any'
  return TOOL_NAMES.get(name) ?? CALL_NAMES.get(name)
}

export function isPerTool(name: string): boolean {
  return isArgument(name) || TOOL_NAMES.has(name)
}

/** Whether the environment has a field of this name. */
export function isPlainName(name: string): name is keyof ConditionEnvironment {
  return TOOL_NAMES.has(name) || CALL_NAMES.has(name)
}

function isArgument(name: string): boolean {
  return name.startsWith('args.')
}
