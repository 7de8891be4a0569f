import type { Guard } from './guard.ts'
import type { ToolCall } from './tool-call.ts'

/** Properties that may differ from one call of a tool to the next. */
export type CallContext = Omit<ToolCall, 'tool' | 'arguments' | 'action'>

export type GuardedTool<A, R> = (input: A, context?: CallContext) => Promise<R>

export type GuardToolOptions<A> = {
  guard: Guard
  /** The name policies use for the tool. */
  tool: string
  /** The card action the tool performs; the tool's name by default. */
  action?: string
  /** Selects the part of the input that policies can refer to; all of it by default. At most 1 MB. */
  argumentsOf?: (input: A) => Readonly<Record<string, unknown>>
}

/** Wraps a function: requests a decision, calls it if allowed, and records the outcome. */
export function guardTool<A, R>(
  work: (input: A) => R | Promise<R>,
  options: GuardToolOptions<A>,
): GuardedTool<A, R> {
  const { guard, tool, action, argumentsOf = asArguments } = options
  return (input, context) =>
    guard.run({ ...context, tool, action, arguments: argumentsOf(input) }, () => work(input))
}

/** Policy conditions refer to members, so an input without members becomes the member `input`. */
export function asArguments(input: unknown): Readonly<Record<string, unknown>> {
  if (input === undefined) return {}
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return isObject ? { ...input } : { input }
}
