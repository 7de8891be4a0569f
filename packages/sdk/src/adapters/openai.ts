import type { Guard } from '../guard/guard.ts'
import { modelWords } from './model-words.ts'
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
  return modelWords([reasoning, message.content])
}

/** The part of a response of the Responses API this adapter uses. */
type ModelResponse = { output: readonly { type: string }[] }

/** The result of a call, an item of the input of the next request. */
export type CallOutput =
  | { type: 'function_call_output'; call_id: string; output: string }
  | { type: 'custom_tool_call_output'; call_id: string; output: string }

/**
 * The same for the Responses API: runs the functions and custom tools that a response calls, in order,
 * and returns the items to send back. A custom tool gets the model's text as its input. Tools that
 * OpenAI runs itself, such as web search, have already run and are not governed.
 */
export async function runFunctionCalls(
  guard: Guard,
  tools: LoopTools,
  { output }: ModelResponse,
): Promise<CallOutput[]> {
  const thinking = modelWords(
    output.filter(({ type }) => type === 'reasoning' || type === 'message'),
  )
  const outputs: CallOutput[] = []
  for (const item of output) {
    const call = responseCallOf(item)
    if (call === undefined) continue
    const { name, input, type, callId } = call
    const { isError, content } = await runCall(guard, tools, { name, input, thinking })
    const text = isError ? JSON.stringify({ error: content }) : content
    outputs.push({ type, call_id: callId, output: text })
  }
  return outputs
}

function responseCallOf(item: { type: string }) {
  if (!isCallItem(item)) return undefined
  const { name, call_id: callId } = item
  return item.type === 'function_call'
    ? {
        type: 'function_call_output' as const,
        name,
        callId,
        input: () => parseJson(item.arguments),
      }
    : { type: 'custom_tool_call_output' as const, name, callId, input: () => item.input }
}

type CallItem = { call_id: string; name: string } & (
  | { type: 'function_call'; arguments: string }
  | { type: 'custom_tool_call'; input: string }
)

function isCallItem(item: { type: string }): item is CallItem {
  return item.type === 'function_call' || item.type === 'custom_tool_call'
}

function parseJson(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new InvalidInput('The arguments are not valid JSON.', { cause })
  }
}
