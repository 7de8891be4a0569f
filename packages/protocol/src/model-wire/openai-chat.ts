import { createAnswerStream } from './answer-stream.ts'
import { madeJson } from './anthropic-made.ts'
import { createEventCutter } from './event-cutter.ts'
import {
  appendItem,
  applyEdits,
  type Edit,
  insertText,
  listItems,
  readMembers,
  type Span,
  textOf,
  wholeOf,
} from './json-span.ts'
import { createChatReader, createCompletionBody } from './openai-chat-answer.ts'
import { chatTurn, openaiError } from './openai-made.ts'
import {
  contentText,
  EMPTY_READING,
  findMember,
  findSession,
  isTrue,
  listTools,
  openRequest,
} from './request-reading.ts'
import { createTurnRecord } from './turn-record.ts'
import { eventStreamFormat, readWholeAnswer } from './whole-answer.ts'
import type { DeclaredTool, RequestReading, ToolResult, WireFormat } from './wire-format.ts'

/** Chat completions of OpenAI and of compatible servers. */
export const openaiChatWire: WireFormat = {
  name: 'openai-chat',
  readRequest,
  appendNudge,
  addRefusedOutputs: () => undefined,
  answerFormat: eventStreamFormat,
  createStream(options = {}) {
    const record = createTurnRecord()
    const reader = createChatReader(record)
    return createAnswerStream({ record, reader, cutter: createEventCutter(), options })
  },
  readAnswer(body) {
    const completion = createCompletionBody()
    return readWholeAnswer(body, completion.read, completion.edits)
  },
  errorAnswer: ({ status, message }) => madeJson(status, openaiError(status, message)),
  refusalTurn: chatTurn,
}

function readRequest(body: Uint8Array): RequestReading | undefined {
  const members = openRequest(body)
  if (members === undefined) return undefined
  const messages = listItems(members.get('messages')).map((message) => readMembers(message))
  const first = messages.find((message) => textOf(message.get('role')) === 'user')
  const isStreamAsked = isTrue(members.get('stream'))
  return {
    ...EMPTY_READING,
    model: textOf(members.get('model')),
    isStreamAsked,
    streamFormat: isStreamAsked ? 'sse' : undefined,
    session: findSession([
      ['metadata.session_id', findMember(members.get('metadata'), 'session_id')],
      ['prompt_cache_key', members.get('prompt_cache_key')],
    ]),
    firstUserText: contentText(first?.get('content')),
    declaredTools: readTools(members),
    toolResults: messages.flatMap(readResult),
  }
}

function readTools(members: ReadonlyMap<string, Span>): DeclaredTool[] {
  const tools = listTools(members.get('tools'), (tool, type) => {
    const name = textOf(findMember(tool.get('function') ?? tool.get('custom'), 'name')) ?? type
    return name === '' ? undefined : { name, isServerSide: false }
  })
  const legacy = listTools(members.get('functions'), (tool) => {
    const name = textOf(tool.get('name'))
    return name === undefined ? undefined : { name, isServerSide: false }
  })
  const search = members.has('web_search_options')
  return [...tools, ...legacy, ...(search ? [{ name: 'web_search', isServerSide: true }] : [])]
}

function readResult(message: ReadonlyMap<string, Span>): ToolResult[] {
  const role = textOf(message.get('role'))
  if (role !== 'tool' && role !== 'function') return []
  const callId = textOf(message.get('tool_call_id'))
  return [{ callId, name: textOf(message.get('name')), isFailed: false }]
}

/**
 * Tool results are messages of their own here, so after them the nudge is one too: a text in the last
 * user message would come before them and change what the provider has cached.
 */
function appendNudge(body: Uint8Array, text: string): Uint8Array | undefined {
  const messages = openRequest(body)?.get('messages')
  const last = readMembers(listItems(messages).at(-1))
  const edit = nudgeEdit(messages, last, text)
  return edit === undefined ? undefined : applyEdits(wholeOf(body), [edit])
}

function nudgeEdit(
  messages: Span | undefined,
  last: ReadonlyMap<string, Span>,
  text: string,
): Edit | undefined {
  const role = textOf(last.get('role'))
  if (messages !== undefined && (role === 'tool' || role === 'function')) {
    return appendItem(messages, JSON.stringify({ role: 'user', content: text }))
  }
  const content = last.get('content')
  if (role !== 'user' || content === undefined) return undefined
  // Compatible servers may accept nothing but a string.
  if (textOf(content) !== undefined) return insertText(content, `\n\n${text}`)
  return appendItem(content, JSON.stringify({ type: 'text', text }))
}
