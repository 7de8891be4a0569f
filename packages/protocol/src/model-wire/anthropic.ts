import { createAnswerStream } from './answer-stream.ts'
import { anthropicBodyEdits, createAnthropicReader, readAnthropicBody } from './anthropic-answer.ts'
import { anthropicError, anthropicTurn, madeJson } from './anthropic-made.ts'
import { createEventCutter } from './event-cutter.ts'
import {
  appendItem,
  applyEdits,
  listItems,
  rawText,
  readMembers,
  type Span,
  textOf,
  wholeOf,
} from './json-span.ts'
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
import type { RequestReading, ToolResult, WireFormat } from './wire-format.ts'

/** The Messages API of Anthropic. */
export const anthropicWire: WireFormat = {
  name: 'anthropic',
  readRequest,
  appendNudge,
  addRefusedOutputs: () => undefined,
  answerFormat: eventStreamFormat,
  createStream(options = {}) {
    const record = createTurnRecord()
    const reader = createAnthropicReader(record)
    return createAnswerStream({ record, reader, cutter: createEventCutter(), options })
  },
  readAnswer: (body) => readWholeAnswer(body, readAnthropicBody, anthropicBodyEdits),
  errorAnswer: ({ status, message }) => madeJson(status, anthropicError(status, message)),
  refusalTurn: anthropicTurn,
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
    session: findSession([['metadata.user_id', findMember(members.get('metadata'), 'user_id')]]),
    firstUserText: contentText(first?.get('content')),
    declaredTools: listTools(members.get('tools'), (tool, type) => {
      const name = textOf(tool.get('name')) ?? type
      return name === '' ? undefined : { name, isServerSide: isServerTool(type) }
    }),
    toolResults: messages.flatMap((message) => readResults(message.get('content'))),
  }
}

/** Versioned types that the provider executes; those of bash, editor, computer and memory do not. */
function isServerTool(type: string): boolean {
  return /^(?:web_search|web_fetch|code_execution|tool_search_tool|mcp_toolset|advisor)/.test(type)
}

function readResults(content: Span | undefined): ToolResult[] {
  return listItems(content).flatMap((block) => {
    const members = readMembers(block)
    if (textOf(members.get('type')) !== 'tool_result') return []
    const callId = textOf(members.get('tool_use_id'))
    return { callId, name: undefined, isFailed: isTrue(members.get('is_error')) }
  })
}

/** Appended at the end of the content, so it comes after all results and cache breakpoints. */
function appendNudge(body: Uint8Array, text: string): Uint8Array | undefined {
  const last = listItems(openRequest(body)?.get('messages')).at(-1)
  const message = readMembers(last)
  if (textOf(message.get('role')) !== 'user') return undefined
  const content = message.get('content')
  const block = JSON.stringify({ type: 'text', text })
  const edit = content === undefined ? undefined : appendBlock(content, block)
  return edit === undefined ? undefined : applyEdits(wholeOf(body), [edit])
}

/** A content that is one string becomes a block, which the provider treats alike. */
function appendBlock(content: Span, block: string) {
  if (textOf(content) === undefined) return appendItem(content, block)
  const { start, end } = content
  const before = `[{"type":"text","text":`
  return { start, end, text: `${before}${rawText(content)}},${block}]` }
}
