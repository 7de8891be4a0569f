import type { Guard } from '../guard/guard.ts'
import { asArguments } from '../guard/guard-tool.ts'

/** The part of an AI SDK tool that this adapter uses. */
type AiTool = { execute?: (input: unknown, options: unknown) => unknown }

export type AiGuardOptions = {
  /** The card action each tool performs, keyed by tool name. */
  actions?: Readonly<Record<string, string>>
  /** The model's reasoning before the call, if your model exposes it. */
  thinkingOf?: (options: unknown) => string | undefined
}

/**
 * Guards the tools of the Vercel AI SDK; pass the result to `generateText` or `streamText`. A
 * refusal is thrown, and the SDK hands it to the model as the tool's error. Tools without `execute`
 * run elsewhere and are returned unchanged, because nothing here could stop them.
 */
export function guardTools<T extends Readonly<Record<string, object>>>(
  guard: Guard,
  tools: T,
  options: AiGuardOptions = {},
): T {
  const guarded = Object.entries(tools).map(([name, tool]) => {
    // Input and output types differ from tool to tool, so the AI SDK has to check them, not this.
    const { execute } = tool as AiTool
    if (execute === undefined) return [name, tool]
    const run = (input: unknown, context: unknown) =>
      guard.run(
        {
          tool: name,
          action: options.actions?.[name],
          arguments: asArguments(input),
          thinking: options.thinkingOf?.(context),
          signal: Object(context).abortSignal,
        },
        () => lastValue(execute.call(tool, input, context)),
      )
    return [name, { ...tool, execute: run }]
  })
  // The same names with tools of the same shape.
  return Object.fromEntries(guarded) as T
}

/** A tool may stream its result as an async iterable; the last value is the complete result. */
async function lastValue(output: unknown): Promise<unknown> {
  const value = await output
  if (!isIterable(value)) return value
  let last: unknown
  for await (const partial of value) last = partial
  return last
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
