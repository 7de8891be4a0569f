import type { Guard } from '../guard/guard.ts'
import { InvalidInput, type LoopTools, runCall } from './run-call.ts'

export type { LoopTool, LoopTools } from './run-call.ts'

/** The part of a Chat Completions message this adapter uses; compatible with the types of `openai`. */
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
 * Runs the tools that a model's message calls, in order, and returns the messages to send back. A
 * refused call is answered with the reason; an error thrown by a tool is rethrown.
 */
export async function runToolCalls(
  guard: Guard,
  tools: LoopTools,
  message: AssistantMessage,
): Promise<ToolMessage[]> {
  const answers: ToolMessage[] = []
  for (const call of message.tool_calls ?? []) {
    const { name = call.type, arguments: json = '' } = call.function ?? {}
    const input = () => parseJson(json)
    const { isError, content } = await runCall(guard, tools, {
      name,
      input,
      thinking: thinkingOf(message),
    })
    const text = isError ? JSON.stringify({ error: content }) : content
    answers.push({ role: 'tool', tool_call_id: call.id, content: text })
  }
  return answers
}

/** Some OpenAI-compatible servers return the reasoning in `reasoning_content`. */
function thinkingOf(message: AssistantMessage): string | undefined {
  const { reasoning_content: reasoning } = message as { reasoning_content?: unknown }
  const texts = [reasoning, message.content].filter((text) => typeof text === 'string')
  return texts.length === 0 ? undefined : texts.join('\n')
}

function parseJson(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new InvalidInput('The arguments are not valid JSON.', { cause })
  }
}
