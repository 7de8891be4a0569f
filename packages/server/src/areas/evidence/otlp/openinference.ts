import { inOrder } from './content-values.ts'
import {
  EMPTY_OUTPUT,
  isEmptyOutput,
  type ModelOutput,
  mergeOutputs,
  readMessage,
} from './genai-message.ts'
import type { Attributes, AttributeValue, Span } from './span.ts'

/** OpenInference (Arize): one attribute for each field of each message. */

export const OPENINFERENCE_KIND = 'openinference.span.kind'

/** The instrumentation writes this in place of content that it is told to hide. */
const REDACTED = '__REDACTED__'

export function openInferenceOutput({ attributes }: Span): ModelOutput {
  if (!attributes.has(OPENINFERENCE_KIND)) return EMPTY_OUTPUT
  const output = mergeOutputs(readMessages(attributes, 'llm.output_messages').map(readMessage))
  if (!isEmptyOutput(output)) return output
  // Completions without messages; JSON is the raw answer of the provider.
  const text = attributes.get('output.value')
  const isText = attributes.get('output.mime_type') !== 'application/json'
  return isText && text !== REDACTED ? readMessage(text ?? null) : EMPTY_OUTPUT
}

export function openInferenceInput({ attributes }: Span): readonly AttributeValue[] {
  return attributes.has(OPENINFERENCE_KIND) ? readMessages(attributes, 'llm.input_messages') : []
}

type Fields = Record<string, AttributeValue>
type Message = { own: Fields; contents: Map<number, Fields>; calls: Map<number, Fields> }

const FIELD =
  /^(\d{1,4})\.message\.(?:(role|content)|contents\.(\d{1,4})\.message_content\.(type|text)|tool_calls\.(\d{1,4})\.tool_call\.function\.(name|arguments))$/

/** Reassembles attributes such as `llm.output_messages.0.message.tool_calls.1.tool_call.function.name`. */
function readMessages(attributes: Attributes, prefix: string): AttributeValue[] {
  const messages = new Map<number, Message>()
  for (const [name, value] of attributes) {
    const found = name.startsWith(`${prefix}.`) ? FIELD.exec(name.slice(prefix.length + 1)) : null
    if (found === null || value === REDACTED) continue
    const [, index, own, content, contentField, call, callField] = found
    const message = entryOf(messages, Number(index), newMessage)
    if (own !== undefined) message.own[own] = value
    else if (contentField !== undefined) {
      entryOf(message.contents, Number(content), newFields)[contentField] = value
    } else if (callField !== undefined) {
      entryOf(message.calls, Number(call), newFields)[callField] = value
    }
  }
  return inOrder(messages).map(({ own, contents, calls }) => ({
    ...own,
    ...(contents.size === 0 ? {} : { content: inOrder(contents) }),
    tool_calls: inOrder(calls),
  }))
}

const newFields = (): Fields => ({})
const newMessage = (): Message => ({ own: {}, contents: new Map(), calls: new Map() })

function entryOf<T>(byIndex: Map<number, T>, index: number, create: () => T): T {
  const known = byIndex.get(index)
  if (known !== undefined) return known
  const created = create()
  byIndex.set(index, created)
  return created
}
