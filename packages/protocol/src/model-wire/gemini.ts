import { createAnswerStream } from './answer-stream.ts'
import { madeJson } from './anthropic-made.ts'
import { createArrayCutter } from './array-cutter.ts'
import { createEventCutter } from './event-cutter.ts'
import { createGeminiReader, createGeminiTurn, noteGeminiError } from './gemini-answer.ts'
import { geminiError, geminiTurn } from './gemini-made.ts'
import {
  appendItem,
  applyEdits,
  listItems,
  readMembers,
  type Span,
  textOf,
  wholeOf,
} from './json-span.ts'
import { contentText, EMPTY_READING, findSession, openRequest } from './request-reading.ts'
import { createTurnRecord } from './turn-record.ts'
import { eventStreamFormat, readWholeAnswer } from './whole-answer.ts'
import type {
  DeclaredTool,
  RequestReading,
  RequestTarget,
  ToolResult,
  WireFormat,
} from './wire-format.ts'

/** generateContent and streamGenerateContent of Gemini. */
export const geminiWire: WireFormat = {
  name: 'gemini',
  readRequest,
  appendNudge,
  addRefusedOutputs: () => undefined,
  answerFormat(answer) {
    const format = eventStreamFormat(answer)
    return format === 'json' && answer.isStreamAsked ? 'json_array' : format
  },
  createStream(options = {}) {
    const record = createTurnRecord()
    const format = options.format ?? 'sse'
    const reader = createGeminiReader(record, format)
    const cutter = format === 'sse' ? createEventCutter() : createArrayCutter()
    return createAnswerStream({ record, reader, cutter, options })
  },
  readAnswer,
  errorAnswer({ status, message, target }) {
    const error = geminiError(status, message)
    const isArray = target !== undefined && readTarget(target).streamFormat === 'json_array'
    return madeJson(status, isArray ? [error] : error)
  },
  refusalTurn: geminiTurn,
}

function readAnswer(body: Uint8Array): ReturnType<WireFormat['readAnswer']> {
  let turn: ReturnType<typeof createGeminiTurn> | undefined
  let calls: ReturnType<ReturnType<typeof createGeminiTurn>['read']> = []
  return readWholeAnswer(
    body,
    (record, response) => {
      turn = createGeminiTurn(record)
      if (!noteGeminiError(record, response)) calls = turn.read(response)
      for (const call of record.calls) record.complete(call)
    },
    (root) => turn?.edits(root, calls) ?? [],
  )
}

function readTarget({ path, query }: RequestTarget) {
  const [, model, method] = /models\/([^/:]+):(\w+)$/.exec(path) ?? []
  const isStreamAsked = method === 'streamGenerateContent'
  const isEvents = new URLSearchParams(query ?? '').get('alt') === 'sse'
  const format = isEvents ? ('sse' as const) : ('json_array' as const)
  return { model, isStreamAsked, streamFormat: isStreamAsked ? format : undefined }
}

/** The API accepts its fields in both spellings. */
function either(members: ReadonlyMap<string, Span>, camel: string): Span | undefined {
  const snake = camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return members.get(camel) ?? members.get(snake)
}

function readRequest(body: Uint8Array, target: RequestTarget): RequestReading | undefined {
  const members = openRequest(body)
  if (members === undefined) return undefined
  const contents = listItems(members.get('contents')).map((content) => readMembers(content))
  const first = contents.find((content) => (textOf(content.get('role')) ?? 'user') === 'user')
  return {
    ...EMPTY_READING,
    ...readTarget(target),
    session: findSession([['cachedContent', either(members, 'cachedContent')]]),
    firstUserText: contentText(first?.get('parts')),
    declaredTools: listItems(members.get('tools')).flatMap(readTool),
    toolResults: contents.flatMap((content) => listItems(content.get('parts')).flatMap(readResult)),
  }
}

/** A tool is a list of functions, or a capability of the provider named by its field. */
function readTool(tool: Span): DeclaredTool[] {
  return [...readMembers(tool)].flatMap(([key, value]) => {
    if (key !== 'functionDeclarations' && key !== 'function_declarations') {
      const isServerSide = key !== 'computerUse' && key !== 'computer_use'
      return [{ name: key, isServerSide }]
    }
    return listItems(value).flatMap((declaration) => {
      const name = textOf(readMembers(declaration).get('name'))
      return name === undefined ? [] : [{ name, isServerSide: false }]
    })
  })
}

function readResult(part: Span): ToolResult[] {
  const result = either(readMembers(part), 'functionResponse')
  if (result === undefined) return []
  const members = readMembers(result)
  const isFailed = readMembers(members.get('response')).has('error')
  return [{ callId: textOf(members.get('id')), name: textOf(members.get('name')), isFailed }]
}

function appendNudge(body: Uint8Array, text: string): Uint8Array | undefined {
  const contents = openRequest(body)?.get('contents')
  const last = listItems(contents).at(-1)
  if (contents === undefined || last === undefined) return undefined
  const members = readMembers(last)
  const role = textOf(members.get('role')) ?? 'user'
  const part = JSON.stringify({ text })
  // Results may come with a role of their own, in which a text has no place.
  if (role === 'function') {
    const content = `{"role":"user","parts":[${part}]}`
    return applyEdits(wholeOf(body), [appendItem(contents, content)])
  }
  const parts = members.get('parts')
  if (role !== 'user' || parts === undefined) return undefined
  return applyEdits(wholeOf(body), [appendItem(parts, part)])
}
