import type { Guard } from '../guard/guard.ts'
import { type LoopTools, runCall } from './run-call.ts'

export type { LoopTool, LoopTools } from './run-call.ts'

/** What this needs of a message; the types of `@anthropic-ai/sdk` fit. */
type Message = { content: readonly { type: string }[] }

export type ToolResult = {
  type: 'tool_result'
  tool_use_id: string
  content: string
  is_error?: true
}

/**
 * Runs the tools that a message of the model uses, one after the other, and gives the content of the
 * user's message to send back. A refused call is an error with the reason; what a tool throws is
 * thrown.
 */
export async function runToolUses(
  guard: Guard,
  tools: LoopTools,
  message: Message,
): Promise<ToolResult[]> {
  const thinking = thinkingOf(message)
  const answers: ToolResult[] = []
  for (const block of message.content) {
    if (!isToolUse(block)) continue
    const { id, name, input } = block
    const { isError, content } = await runCall(guard, tools, { name, input: () => input, thinking })
    const common = { type: 'tool_result', tool_use_id: id, content } as const
    answers.push(isError ? { ...common, is_error: true } : common)
  }
  return answers
}

type ToolUse = { type: 'tool_use'; id: string; name: string; input: unknown }

function isToolUse(block: { type: string }): block is ToolUse {
  return block.type === 'tool_use'
}

function thinkingOf({ content }: Message): string | undefined {
  const texts = content.flatMap((block) => {
    const { thinking, text } = block as { thinking?: unknown; text?: unknown }
    return [thinking, text].filter((one) => typeof one === 'string')
  })
  return texts.length === 0 ? undefined : texts.join('\n')
}
