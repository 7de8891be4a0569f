import {
  findJson,
  isMembers,
  joinSaid,
  listOf,
  NOTHING_SAID,
  readCall,
  readMessage,
  type Said,
  saysNothing,
} from './genai-message.ts'
import type { Attributes, AttributeValue, Span } from './span.ts'

/** The model's output, or the reason why the recorded content cannot be read. */
export type Content =
  | { ok: true; said: Said; task: string | undefined }
  | { ok: false; reason: string }

/** A truncated text must not be taken for the whole output. */
class UnreadableContent extends Error {}

/**
 * The formats in which instrumentations record messages, newest first. Only the first with content is
 * used, because some instrumentations write two of them.
 */
export function readContent(span: Span): Content {
  try {
    return { ok: true, said: saidIn(span), task: findTask(span) }
  } catch (err) {
    if (err instanceof UnreadableContent) return { ok: false, reason: err.message }
    throw err
  }
}

const OUTPUT_FORMS: readonly ((span: Span) => Said)[] = [
  // Since 1.37: on the span or on one of its events.
  (span) => readMessages(span.attributes, 'gen_ai.output.messages'),
  (span) =>
    joinSaid(span.events.map((event) => readMessages(event.attributes, 'gen_ai.output.messages'))),
  // 1.28 to 1.36: one event per choice.
  (span) => joinSaid(eventsOf(span, 'gen_ai.choice').map(readChoice)),
  // Until 1.27: one event with everything, before that an attribute.
  (span) =>
    joinSaid(
      eventsOf(span, 'gen_ai.content.completion').map((event) =>
        readMessages(event, 'gen_ai.completion'),
      ),
    ),
  (span) => readMessages(span.attributes, 'gen_ai.completion'),
  // OpenLLMetry: one attribute per member.
  (span) => joinSaid(numbered(span.attributes, 'gen_ai.completion').map(readMessage)),
  // AI SDK: its own names beside those of the conventions.
  readAiSdk,
]

function saidIn(span: Span): Said {
  for (const form of OUTPUT_FORMS) {
    const said = form(span)
    if (!saysNothing(said)) return said
  }
  return NOTHING_SAID
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

function readMessages(attributes: Attributes, name: string): Said {
  return joinSaid(messagesIn(attributes, name).map(readMessage))
}

/** Plain text is a message; text that begins like JSON but is invalid was truncated. */
function jsonOf(text: string, name: string): AttributeValue {
  const value = findJson(text)
  if (value !== undefined) return value
  if (!/^\s*[[{]/.test(text)) return text
  throw new UnreadableContent(
    `${name} is not valid JSON; check whether a limit on attribute length truncated it`,
  )
}

/** The message is an attribute, a member of the event's content, or the attributes themselves. */
function readChoice(event: Attributes): Said {
  const content = event.get('gen_ai.event.content')
  const body = typeof content === 'string' ? jsonOf(content, 'gen_ai.event.content') : content
  if (isMembers(body)) return readMessage(body['message'] ?? body)
  const message = event.get('message')
  if (message === undefined) return readMessage(membersOf(event))
  const value = typeof message === 'string' ? jsonOf(message, 'message') : message
  // Some instrumentations record only the content.
  return readMessage(Array.isArray(value) ? { content: value } : value)
}

function membersOf(event: Attributes): AttributeValue {
  return Object.fromEntries(
    [...event].map(([name, value]) => [
      name,
      name === 'tool_calls' && typeof value === 'string' ? jsonOf(value, name) : value,
    ]),
  )
}

/** Reassembles attributes such as `gen_ai.completion.0.tool_calls.1.name`. */
function numbered(attributes: Attributes, prefix: string): AttributeValue[] {
  const messages = new Map<number, Map<string, AttributeValue>>()
  for (const [name, value] of attributes) {
    const found = name.startsWith(`${prefix}.`)
      ? /^(\d{1,4})\.(.{1,100})$/.exec(name.slice(prefix.length + 1))
      : null
    if (found === null) continue
    const members = messages.get(Number(found[1])) ?? new Map<string, AttributeValue>()
    members.set(found[2] ?? '', value)
    messages.set(Number(found[1]), members)
  }
  return inOrder(messages).map((members) => ({
    ...Object.fromEntries(members),
    tool_calls: numberedCalls(members),
  }))
}

function numberedCalls(members: ReadonlyMap<string, AttributeValue>): AttributeValue[] {
  const calls = new Map<number, Record<string, AttributeValue>>()
  for (const [name, value] of members) {
    const found = /^tool_calls\.(\d{1,4})\.(name|arguments)$/.exec(name)
    if (found === null) continue
    const index = Number(found[1])
    calls.set(index, { ...calls.get(index), [found[2] ?? '']: value })
  }
  return inOrder(calls)
}

function inOrder<T>(byIndex: ReadonlyMap<number, T>): T[] {
  return [...byIndex].sort(([a], [b]) => a - b).map(([, value]) => value)
}

function readAiSdk({ attributes }: Span): Said {
  const calls = attributes.get('ai.response.toolCalls')
  const list = typeof calls === 'string' ? jsonOf(calls, 'ai.response.toolCalls') : calls
  return {
    ...NOTHING_SAID,
    thinking: filledText(attributes, 'ai.response.reasoning'),
    text: filledText(attributes, 'ai.response.text'),
    calls: listOf(list).flatMap(readCall),
  }
}

function filledText(attributes: Attributes, name: string): string[] {
  const value = attributes.get(name)
  return typeof value === 'string' && value.trim() !== '' ? [value] : []
}

/** The last user message. It only helps the analysis, so errors are ignored. */
function findTask(span: Span): string | undefined {
  const asked = [
    ...promptsIn(span.attributes, 'gen_ai.input.messages'),
    ...span.events.flatMap((event) => promptsIn(event.attributes, 'gen_ai.input.messages')),
    ...eventsOf(span, 'gen_ai.user.message').map((event) => ({ ...toRecord(event), role: 'user' })),
    ...eventsOf(span, 'gen_ai.content.prompt').flatMap((event) =>
      promptsIn(event, 'gen_ai.prompt'),
    ),
    ...promptsIn(span.attributes, 'gen_ai.prompt'),
    ...numbered(span.attributes, 'gen_ai.prompt'),
  ].filter((message) => isMembers(message) && message['role'] === 'user')
  const text = asked.map((message) => readMessage(message).text.join('\n'))
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
