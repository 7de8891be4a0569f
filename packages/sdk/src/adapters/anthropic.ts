import type { Guard } from '../guard/guard.ts'
import { modelWords } from './model-words.ts'
import { type LoopTools, runCall } from './run-call.ts'

export type { LoopTool, LoopTools } from './run-call.ts'

/** The part of a message this adapter uses; compatible with the types of `@anthropic-ai/sdk`. */
type Message = { content: readonly { type: string }[] }

export type ToolResult = {
  type: 'tool_result'
  tool_use_id: string
  content: string
  is_error?: true
}

/**
 * Runs the tools that a model's message uses, in order, and returns the content of the user message
 * to send back. A refused call becomes an error block with the reason; an error thrown by a tool is
 * rethrown.
 */
export async function runToolUses(
  guard: Guard,
  tools: LoopTools,
  message: Message,
): Promise<ToolResult[]> {
  const thinking = modelWords(message.content)
  const results: ToolResult[] = []
  for (const block of message.content) {
    if (!isToolUse(block)) continue
    const { id, name, input } = block
    const { isError, content } = await runCall(guard, tools, { name, input: () => input, thinking })
    const common = { type: 'tool_result', tool_use_id: id, content } as const
    results.push(isError ? { ...common, is_error: true } : common)
  }
  return results
}

type ToolUse = { type: 'tool_use'; id: string; name: string; input: unknown }

function isToolUse(block: { type: string }): block is ToolUse {
  return block.type === 'tool_use'
}
