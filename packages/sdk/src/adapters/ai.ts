import type { Guard } from '../guard/guard.ts'
import { asArguments } from '../guard/guard-tool.ts'

/** What this needs of a tool of the AI SDK. */
type AiTool = { execute?: (input: unknown, options: unknown) => unknown }

export type AiGuardOptions = {
  /** The actions of the card that tools are, by the names of the tools. */
  actions?: Readonly<Record<string, string>>
  /** What the model thought before it called, where your model tells. */
  thinkingOf?: (options: unknown) => string | undefined
}

/**
 * The tools of the Vercel AI SDK, guarded: hand them to `generateText` or `streamText`. A refusal is
 * thrown, which the SDK gives to the model as the tool's error. Tools that run elsewhere, without
 * `execute`, are left as they are: nothing here could stop them.
 */
export function guardTools<T extends Readonly<Record<string, object>>>(
  guard: Guard,
  tools: T,
  options: AiGuardOptions = {},
): T {
  const guarded = Object.entries(tools).map(([name, tool]) => {
    // Tools of one set differ in what they take and give; that they fit is between them and the SDK.
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
        () => settle(execute.call(tool, input, context)),
      )
    return [name, { ...tool, execute: run }]
  })
  return Object.fromEntries(guarded) as T
}

/** A tool may give its result bit by bit; the last bit is the result. */
async function settle(given: unknown): Promise<unknown> {
  const value = await given
  if (!isIterable(value)) return value
  let last: unknown
  for await (const bit of value) last = bit
  return last
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
