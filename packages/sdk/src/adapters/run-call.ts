import type { Guard } from '../guard/guard.ts'
import { GuardRefusal } from '../guard/guard-refusal.ts'
import { asArguments } from '../guard/guard-tool.ts'

/** A function that the model may call, optionally with the card action it performs. */
export type LoopTool =
  | ((input: never) => unknown)
  | { run: (input: never) => unknown; action?: string }

export type LoopTools = Readonly<Record<string, LoopTool>>

export type ToolOutcome = { isError: boolean; content: string }

/** Runs one tool call and returns its result, or the reason for refusing it, as text for the model. */
export async function runCall(
  guard: Guard,
  tools: LoopTools,
  call: { name: string; input: () => unknown; thinking: string | undefined },
): Promise<ToolOutcome> {
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined
  if (tool === undefined) return errorOutcome(`There is no tool ${call.name}.`)
  const { run, action = undefined } = typeof tool === 'function' ? { run: tool } : tool
  try {
    const input = call.input()
    const guardedCall = {
      tool: call.name,
      action,
      thinking: call.thinking,
      arguments: asArguments(input),
    }
    // Validating the input is up to the tool: the model may send anything.
    const result = await guard.run(guardedCall, () => run(input as never))
    return { isError: false, content: textOf(result) }
  } catch (error) {
    if (error instanceof GuardRefusal || error instanceof InvalidInput) {
      return errorOutcome(error.message)
    }
    throw error
  }
}

/** Reported to the model instead of thrown, so that it can correct its input and try again. */
export class InvalidInput extends Error {}

function errorOutcome(message: string): ToolOutcome {
  return { isError: true, content: message }
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
}
