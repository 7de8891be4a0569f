import { filledText } from './content-values.ts'
import {
  EMPTY_OUTPUT,
  findJson,
  isEmptyOutput,
  isObject,
  type ModelOutput,
  mergeOutputs,
  readMessage,
} from './genai-message.ts'
import type { AttributeValue, Span } from './span.ts'

/** Langfuse: input and output as text, or as JSON of whatever the program passed. */

export const LANGFUSE_TYPE = 'langfuse.observation.type'

/**
 * The program chooses the form: a message, messages, a chat completion, or any other value, which is
 * then the text of the answer as a whole.
 */
export function langfuseOutput({ attributes }: Span): ModelOutput {
  const [text] = filledText(attributes, 'langfuse.observation.output')
  if (text === undefined || !attributes.has(LANGFUSE_TYPE)) return EMPTY_OUTPUT
  const value = findJson(text)
  const output =
    typeof value === 'object' ? mergeOutputs(messagesIn(value).map(readMessage)) : EMPTY_OUTPUT
  return isEmptyOutput(output) ? { ...EMPTY_OUTPUT, text: [text] } : output
}

export function langfuseTask({ attributes }: Span): readonly AttributeValue[] {
  const [text] = filledText(attributes, 'langfuse.observation.input')
  if (text === undefined || !attributes.has(LANGFUSE_TYPE)) return []
  const value = findJson(text)
  if (isObject(value) && value['messages'] !== undefined) return messagesIn(value['messages'])
  return typeof value === 'object' ? messagesIn(value) : [{ role: 'user', content: text }]
}

/** A list of Responses items has calls and messages side by side, which are parts of one message. */
function messagesIn(value: AttributeValue): readonly AttributeValue[] {
  if (isObject(value) && Array.isArray(value['choices'])) {
    const [choice] = value['choices']
    return isObject(choice) ? [choice['message'] ?? null] : []
  }
  if (!Array.isArray(value)) return [value]
  return value.map((item) => (isObject(item) && isPart(item['type']) ? { content: [item] } : item))
}

function isPart(type: AttributeValue | undefined): boolean {
  return type !== undefined && type !== 'message'
}
