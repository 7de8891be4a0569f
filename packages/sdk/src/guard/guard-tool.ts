import type { Guard } from './guard.ts'
import type { ToolCall } from './tool-call.ts'

/** What may differ from one call of a tool to the next. */
export type CallContext = Omit<ToolCall, 'tool' | 'arguments' | 'action'>

export type GuardedTool<A, R> = (input: A, context?: CallContext) => Promise<R>

export type GuardToolOptions<A> = {
  guard: Guard
  /** The name that policies know it by. */
  tool: string
  /** The action of the card that it is; the tool's name unless given. */
  action?: string
  /** What of its input policies may ask for; all of it unless given. At most 32 KB. */
  argumentsOf?: (input: A) => Readonly<Record<string, unknown>>
}

/** The same function, which asks first and tells what happened; it throws a GuardRefusal. */
export function guardTool<A, R>(
  work: (input: A) => R | Promise<R>,
  options: GuardToolOptions<A>,
): GuardedTool<A, R> {
  const { guard, tool, action, argumentsOf = asArguments } = options
  return (input, context) =>
    guard.run({ ...context, tool, action, arguments: argumentsOf(input) }, () => work(input))
}

/** Conditions ask for members; anything that has none is one itself. */
export function asArguments(input: unknown): Readonly<Record<string, unknown>> {
  if (input === undefined) return {}
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return isObject ? { ...input } : { input }
}
