import type { Guard } from '../guard/guard.ts'
import { type LoopTools, runCall, UnreadableInput } from './run-call.ts'

export type { LoopTool, LoopTools } from './run-call.ts'

/** What this needs of a message of Chat Completions; the types of `openai` fit. */
type AssistantMessage = {
  content?: string | null
  tool_calls?:
    | readonly {
        id: string
        type: string
        function?: { name: string; arguments: string }
      }[]
    | null
    | undefined
}

export type ToolMessage = { role: 'tool'; tool_call_id: string; content: string }

/**
 * Runs the tools that a message of the model calls, one after the other, and gives the messages to
 * send back. A refused call is answered with the reason; what a tool throws is thrown.
 */
export async function runToolCalls(
  guard: Guard,
  tools: LoopTools,
  message: AssistantMessage,
): Promise<ToolMessage[]> {
  const answers: ToolMessage[] = []
  for (const call of message.tool_calls ?? []) {
    const { name = call.type, arguments: text = '' } = call.function ?? {}
    const input = () => readJson(text)
    const { isError, content } = await runCall(guard, tools, {
      ...{ name, input, thinking: thinkingOf(message) },
    })
    const told = isError ? JSON.stringify({ error: content }) : content
    answers.push({ role: 'tool', tool_call_id: call.id, content: told })
  }
  return answers
}

/** Some servers tell the thoughts beside the words. */
function thinkingOf(message: AssistantMessage): string | undefined {
  const { reasoning_content: thoughts } = message as { reasoning_content?: unknown }
  const texts = [thoughts, message.content].filter((text) => typeof text === 'string')
  return texts.length === 0 ? undefined : texts.join('\n')
}

function readJson(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnreadableInput('The arguments are not JSON.', { cause })
  }
}
