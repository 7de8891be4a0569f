import { createAnswerStream } from './answer-stream.ts'
import { fieldsOf, stringOf } from './answer-values.ts'
import { madeJson } from './anthropic-made.ts'
import { createEventCutter } from './event-cutter.ts'
import {
  appendItem,
  applyEdits,
  type Edit,
  insertText,
  isArraySpan,
  listItems,
  rawText,
  readMembers,
  type Span,
  textOf,
  wholeOf,
} from './json-span.ts'
import { openaiError, responsesTurn } from './openai-made.ts'
import { createResponsesReader } from './openai-responses-answer.ts'
import { refusedOutputItem } from './openai-responses-item.ts'
import { createResponseOutput, type ResponseOutput } from './openai-responses-output.ts'
import {
  contentText,
  EMPTY_READING,
  findMember,
  findSession,
  isTrue,
  listTools,
  openRequest,
} from './request-reading.ts'
import { createTurnRecord, type HeldCall } from './turn-record.ts'
import { eventStreamFormat, readWholeAnswer } from './whole-answer.ts'
import type { RefusedOutput, RequestReading, ToolResult, WireFormat } from './wire-format.ts'

/** The Responses API of OpenAI. */
export const openaiResponsesWire: WireFormat = {
  name: 'openai-responses',
  readRequest,
  appendNudge,
  addRefusedOutputs,
  answerFormat: eventStreamFormat,
  createStream(options = {}) {
    const record = createTurnRecord()
    const reader = createResponsesReader(record)
    return createAnswerStream({ record, reader, cutter: createEventCutter(), options })
  },
  readAnswer,
  errorAnswer: ({ status, message }) => madeJson(status, openaiError(status, message)),
  refusalTurn: responsesTurn,
}

function readAnswer(body: Uint8Array): ReturnType<WireFormat['readAnswer']> {
  let output: ResponseOutput | undefined
  let calls: ReadonlyMap<number, HeldCall> = new Map()
  return readWholeAnswer(
    body,
    (record, response) => {
      output = createResponseOutput(record)
      const { error, object } = response
      if (error !== undefined && error !== null && object === undefined) {
        record.setEnd({ kind: 'failed', message: stringOf(fieldsOf(error)['message']) })
      } else calls = output.readResponse(response)
    },
    (root) => output?.edits(root, calls) ?? [],
  )
}

function readRequest(body: Uint8Array): RequestReading | undefined {
  const members = openRequest(body)
  if (members === undefined) return undefined
  const input = members.get('input')
  const items = listItems(input).map((item) => readMembers(item))
  const first = items.find((item) => textOf(item.get('role')) === 'user')
  const conversation = members.get('conversation')
  const isStreamAsked = isTrue(members.get('stream'))
  return {
    ...EMPTY_READING,
    model: textOf(members.get('model')),
    isStreamAsked,
    streamFormat: isStreamAsked ? 'sse' : undefined,
    session: findSession([
      ['metadata.session_id', findMember(members.get('metadata'), 'session_id')],
      ['prompt_cache_key', members.get('prompt_cache_key')],
      ['previous_response_id', members.get('previous_response_id')],
    ]),
    firstUserText: contentText(first?.get('content') ?? input),
    declaredTools: listTools(members.get('tools'), (tool, type) => {
      const name = textOf(tool.get('name') ?? tool.get('server_label')) ?? type
      return name === '' ? undefined : { name, isServerSide: isServerTool(type) }
    }),
    toolResults: items.flatMap(readResult),
    previousResponseId: textOf(members.get('previous_response_id')),
    conversation: textOf(conversation) ?? textOf(findMember(conversation, 'id')),
    isBackground: isTrue(members.get('background')),
  }
}

function isServerTool(type: string): boolean {
  return /^(?:web_search|file_search|code_interpreter|image_generation|mcp$|tool_search)/.test(type)
}

function readResult(item: ReadonlyMap<string, Span>): ToolResult[] {
  const type = textOf(item.get('type')) ?? ''
  if (!type.endsWith('_output')) return []
  const status = textOf(item.get('status'))
  const callId = textOf(item.get('call_id')) ?? textOf(item.get('id'))
  return [{ callId, name: undefined, isFailed: status === 'incomplete' || status === 'failed' }]
}

/** After tool results, which are items of their own here, the nudge is a message of its own too. */
function appendNudge(body: Uint8Array, text: string): Uint8Array | undefined {
  const input = openRequest(body)?.get('input')
  const edit = input === undefined ? undefined : nudgeEdit(input, text)
  return edit === undefined ? undefined : applyEdits(wholeOf(body), [edit])
}

function nudgeEdit(input: Span, text: string): Edit | undefined {
  if (textOf(input) !== undefined) return insertText(input, `\n\n${text}`)
  const last = readMembers(listItems(input).at(-1))
  const part = { type: 'input_text', text }
  if ((textOf(last.get('type')) ?? '').endsWith('_output')) {
    return appendItem(input, JSON.stringify({ type: 'message', role: 'user', content: [part] }))
  }
  const content = last.get('content')
  if (textOf(last.get('role')) !== 'user' || content === undefined) return undefined
  if (textOf(content) !== undefined) return insertText(content, `\n\n${text}`)
  return appendItem(content, JSON.stringify(part))
}

/** Outputs stand before the new input, where those of the other calls of that turn are expected. */
function addRefusedOutputs(
  body: Uint8Array,
  refused: readonly RefusedOutput[],
): Uint8Array | undefined {
  const members = openRequest(body)
  if (members === undefined) return undefined
  const continues = [members.get('previous_response_id'), members.get('conversation')]
  if (!continues.some((span) => span !== undefined && rawText(span) !== 'null')) return undefined
  const input = members.get('input')
  const given = new Set(
    listItems(input).map((item) => {
      const fields = readMembers(item)
      return textOf(fields.get('approval_request_id')) ?? readResult(fields)[0]?.callId
    }),
  )
  const missing = refused.filter(({ callId }) => !given.has(callId))
  if (missing.length === 0 || input === undefined) return undefined
  const outputs = missing.map((output) => JSON.stringify(refusedOutputItem(output))).join(',')
  return applyEdits(wholeOf(body), [prependItems(input, outputs)])
}

function prependItems(input: Span, items: string): Edit {
  if (isArraySpan(input)) {
    const at = input.start + 1
    const separator = listItems(input).length > 0 ? ',' : ''
    return { start: at, end: at, text: items + separator }
  }
  const message = `{"type":"message","role":"user","content":${rawText(input)}}`
  return { start: input.start, end: input.end, text: `[${items},${message}]` }
}
