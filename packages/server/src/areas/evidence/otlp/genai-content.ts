import { filledText, inOrder, jsonOf, UnreadableContent } from './content-values.ts'
import {
  EMPTY_OUTPUT,
  isEmptyOutput,
  isObject,
  listOf,
  type ModelOutput,
  mergeOutputs,
  readCall,
  readMessage,
} from './genai-message.ts'
import { langfuseOutput, langfuseTask } from './langfuse.ts'
import { openInferenceInput, openInferenceOutput } from './openinference.ts'
import type { Attributes, AttributeValue, Span } from './span.ts'

/** The model's output, or the reason why the recorded content cannot be read. */
export type Content =
  | { ok: true; modelOutput: ModelOutput; task: string | undefined }
  | { ok: false; reason: string }

/** Reads the model's output and the task from a span. */
export function readContent(span: Span): Content {
  try {
    return { ok: true, modelOutput: readOutput(span), task: findTask(span) }
  } catch (err) {
    if (err instanceof UnreadableContent) return { ok: false, reason: err.message }
    throw err
  }
}

/**
 * The formats in which instrumentations record messages, newest first. Only the first with content is
 * used, because some instrumentations write two of them.
 */
const OUTPUT_FORMATS: readonly ((span: Span) => ModelOutput)[] = [
  // Semantic conventions 1.37 and later: on the span or on one of its events.
  (span) => readMessages(span.attributes, 'gen_ai.output.messages'),
  (span) =>
    mergeOutputs(
      span.events.map((event) => readMessages(event.attributes, 'gen_ai.output.messages')),
    ),
  // 1.28 to 1.36: one event per choice.
  (span) => mergeOutputs(eventsOf(span, 'gen_ai.choice').map(readChoice)),
  // Up to 1.27: one event with all messages; in older versions an attribute.
  (span) =>
    mergeOutputs(
      eventsOf(span, 'gen_ai.content.completion').map((event) =>
        readMessages(event, 'gen_ai.completion'),
      ),
    ),
  (span) => readMessages(span.attributes, 'gen_ai.completion'),
  // OpenLLMetry: one attribute per field.
  (span) =>
    mergeOutputs(readIndexedMessages(span.attributes, 'gen_ai.completion').map(readMessage)),
  // AI SDK: its own attribute names, in addition to the conventions.
  readAiSdk,
  openInferenceOutput,
  langfuseOutput,
]

function readOutput(span: Span): ModelOutput {
  for (const read of OUTPUT_FORMATS) {
    const output = read(span)
    if (!isEmptyOutput(output)) return output
  }
  return EMPTY_OUTPUT
}

function eventsOf(span: Span, name: string): Attributes[] {
  return span.events.filter((event) => event.name === name).map((event) => event.attributes)
}

/** One message or a list, as JSON text or as values. */
function messagesIn(attributes: Attributes, name: string): readonly AttributeValue[] {
  const recorded = attributes.get(name)
  if (recorded === undefined || recorded === null || recorded === '') return []
  const value = typeof recorded === 'string' ? jsonOf(recorded, name) : recorded
  return Array.isArray(value) ? value : [value]
}

function readMessages(attributes: Attributes, name: string): ModelOutput {
  return mergeOutputs(messagesIn(attributes, name).map(readMessage))
}

/**
 * The message is in the event's content, in the attribute `message`, or spread over the event's
 * attributes, in this order.
 */
function readChoice(event: Attributes): ModelOutput {
  const content = event.get('gen_ai.event.content')
  const body = typeof content === 'string' ? jsonOf(content, 'gen_ai.event.content') : content
  if (isObject(body)) return readMessage(body['message'] ?? body)
  const message = event.get('message')
  if (message === undefined) return readMessage(toMessage(event))
  const value = typeof message === 'string' ? jsonOf(message, 'message') : message
  // Some instrumentations record only the content.
  return readMessage(Array.isArray(value) ? { content: value } : value)
}

function toMessage(event: Attributes): AttributeValue {
  return Object.fromEntries(
    [...event].map(([name, value]) => [
      name,
      name === 'tool_calls' && typeof value === 'string' ? jsonOf(value, name) : value,
    ]),
  )
}

/** Reassembles attributes such as `gen_ai.completion.0.tool_calls.1.name`. */
function readIndexedMessages(attributes: Attributes, prefix: string): AttributeValue[] {
  const messages = new Map<number, Map<string, AttributeValue>>()
  for (const [name, value] of attributes) {
    const found = name.startsWith(`${prefix}.`)
      ? /^(\d{1,4})\.(.{1,100})$/.exec(name.slice(prefix.length + 1))
      : null
    if (found === null) continue
    const fields = messages.get(Number(found[1])) ?? new Map<string, AttributeValue>()
    fields.set(found[2] ?? '', value)
    messages.set(Number(found[1]), fields)
  }
  return inOrder(messages).map((fields) => ({
    ...Object.fromEntries(fields),
    tool_calls: readIndexedCalls(fields),
  }))
}

function readIndexedCalls(fields: ReadonlyMap<string, AttributeValue>): AttributeValue[] {
  const calls = new Map<number, Record<string, AttributeValue>>()
  for (const [name, value] of fields) {
    const found = /^tool_calls\.(\d{1,4})\.(name|arguments)$/.exec(name)
    if (found === null) continue
    const index = Number(found[1])
    calls.set(index, { ...calls.get(index), [found[2] ?? '']: value })
  }
  return inOrder(calls)
}

function readAiSdk({ attributes }: Span): ModelOutput {
  const calls = attributes.get('ai.response.toolCalls')
  const list = typeof calls === 'string' ? jsonOf(calls, 'ai.response.toolCalls') : calls
  return {
    ...EMPTY_OUTPUT,
    thinking: filledText(attributes, 'ai.response.reasoning'),
    text: filledText(attributes, 'ai.response.text'),
    calls: listOf(list).flatMap(readCall),
  }
}

/** The last user message. It only helps the analysis, so errors are ignored. */
function findTask(span: Span): string | undefined {
  const userMessages = [
    ...promptsIn(span.attributes, 'gen_ai.input.messages'),
    ...span.events.flatMap((event) => promptsIn(event.attributes, 'gen_ai.input.messages')),
    ...eventsOf(span, 'gen_ai.user.message').map((event) => ({ ...toRecord(event), role: 'user' })),
    ...eventsOf(span, 'gen_ai.content.prompt').flatMap((event) =>
      promptsIn(event, 'gen_ai.prompt'),
    ),
    ...promptsIn(span.attributes, 'gen_ai.prompt'),
    ...readIndexedMessages(span.attributes, 'gen_ai.prompt'),
    ...openInferenceInput(span),
    ...langfuseTask(span),
  ].filter((message) => isObject(message) && message['role'] === 'user')
  const text = userMessages.map((message) => readMessage(message).text.join('\n'))
  return text.filter((one) => one !== '').at(-1)
}

function toRecord(event: Attributes): Record<string, AttributeValue> {
  return Object.fromEntries(event)
}

function promptsIn(attributes: Attributes, name: string): readonly AttributeValue[] {
  try {
    return messagesIn(attributes, name)
  } catch (err) {
    if (err instanceof UnreadableContent) return []
    throw err
  }
}
