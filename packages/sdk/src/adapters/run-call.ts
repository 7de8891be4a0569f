import type { Guard } from '../guard/guard.ts'
import { GuardRefusal } from '../guard/guard-refusal.ts'
import { asArguments } from '../guard/guard-tool.ts'

/** A function that the model may call, and the action of the card that it is. */
export type LoopTool =
  | ((input: never) => unknown)
  | { run: (input: never) => unknown; action?: string }

export type LoopTools = Readonly<Record<string, LoopTool>>

export type ToolOutcome = { isError: boolean; content: string }

/** One call of a model: what it gave, or why not, as a text for the model. */
export async function runCall(
  guard: Guard,
  tools: LoopTools,
  call: { name: string; input: () => unknown; thinking: string | undefined },
): Promise<ToolOutcome> {
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined
  if (tool === undefined) return refuse(`There is no tool ${call.name}.`)
  const { run, action = undefined } = typeof tool === 'function' ? { run: tool } : tool
  try {
    const input = call.input()
    const asked = {
      tool: call.name,
      action,
      thinking: call.thinking,
      arguments: asArguments(input),
    }
    // What a model gives as input is checked by the tool, if by anybody.
    const result = await guard.run(asked, () => run(input as never))
    return { isError: false, content: textOf(result) }
  } catch (error) {
    if (error instanceof GuardRefusal || error instanceof UnreadableInput) {
      return refuse(error.message)
    }
    throw error
  }
}

/** The model is told and can try again. */
export class UnreadableInput extends Error {}

function refuse(message: string): ToolOutcome {
  return { isError: true, content: message }
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
}
