import { countOf, type Fields, fieldsOf, findText, listOf, stringOf } from './answer-values.ts'
import { reframeItem } from './array-cutter.ts'
import { decodeText } from './byte-queue.ts'
import { type CutEvent, frameEvent } from './event-cutter.ts'
import {
  ERROR_EVENT,
  type EventReader,
  type EventReading,
  eventFields,
  FREE_EVENT,
  payloadBytes,
} from './event-reader.ts'
import { geminiError } from './gemini-made.ts'
import {
  applyEdits,
  type Edit,
  editMembers,
  listItems,
  rawText,
  readMembers,
  rootSpan,
  type Span,
} from './json-span.ts'
import { type HeldCall, isRemoved, type TurnRecord } from './turn-record.ts'
import type { StreamFormat } from './wire-format.ts'

/** A functionCall by its place in a response. */
type PartCall = { call: HeldCall; position: number; part: number; signature: string | undefined }

type Candidate = {
  /** A call whose arguments come in several parts. */
  open: HeldCall | undefined
  /** Adjacent parts of one kind are one block. */
  block: { kind: string; key: string }
  hasText: boolean
  hasRefusal: boolean
  /** The signature of a refused call. The provider requires it on the first call that it gets back. */
  signature: string | undefined
}

export type GeminiTurn = {
  /** Notes a response, which in a stream is a part of the answer. */
  read(response: Fields): readonly PartCall[]
  edits(root: Span, calls: readonly PartCall[]): Edit[]
}

/**
 * Responses of generateContent. A call is a part; the text that replaces it is a part at its place.
 * Calls streamed in fragments (willContinue) are held until the last one and are not readable.
 */
export function createGeminiTurn(record: TurnRecord): GeminiTurn {
  const candidates = new Map<number, Candidate>()

  function candidateAt(index: number): Candidate {
    let candidate = candidates.get(index)
    if (candidate === undefined) {
      const block = { kind: '', key: '' }
      candidate = {
        open: undefined,
        block,
        hasText: false,
        hasRefusal: false,
        signature: undefined,
      }
      candidates.set(index, candidate)
    }
    return candidate
  }

  function readText(candidate: Candidate, index: number, part: Fields): void {
    const kind = part['thought'] === true ? 'thought' : 'text'
    const text = stringOf(part['text'])
    if (candidate.block.kind !== kind) {
      const key = `${index}-${Number(candidate.block.key.split('-')[1] ?? 0) + 1}`
      candidate.block = { kind, key }
    }
    if (kind === 'thought') record.addThinking(candidate.block.key, text, 'native')
    else {
      record.addText(candidate.block.key, text)
      if (text !== '') candidate.hasText = true
    }
  }

  function readCall(candidate: Candidate, index: number, fields: Fields): HeldCall {
    const { args, id, name, willContinue, partialArgs } = fields
    const { open } = candidate
    // A part with another name is another call, although the one before it has no end.
    if (open !== undefined && stringOf(name) !== '' && name !== open.name) {
      record.complete(open)
      candidate.open = undefined
    }
    const call = candidate.open ?? openCall(candidate, index, findText(id), stringOf(name))
    if (willContinue === true || partialArgs !== undefined || candidate.open !== undefined) {
      call.defect = 'fragments'
      record.appendArguments(call, JSON.stringify(fields))
    } else record.replaceArguments(call, args === undefined ? '' : JSON.stringify(args))
    candidate.open = willContinue === true ? call : undefined
    if (willContinue !== true) record.complete(call)
    return call
  }

  function openCall(
    candidate: Candidate,
    choice: number,
    callId: string | undefined,
    name: string,
  ): HeldCall {
    const group = { unsettled: 0 }
    const call = record.openCall({ group, choice, callId, name, kind: 'function' })
    call.followsText = candidate.hasText
    candidate.block = { ...candidate.block, kind: 'call' }
    return call
  }

  function readPart(index: number, position: number, part: number, value: unknown): PartCall[] {
    const fields = fieldsOf(value)
    const candidate = candidateAt(index)
    const { functionCall, toolCall, executableCode, text, thoughtSignature } = fields
    if (typeof text === 'string') readText(candidate, index, fields)
    else candidate.block = { ...candidate.block, kind: '' }
    if (executableCode !== undefined) record.addServerTool('code_execution', undefined)
    if (toolCall !== undefined) {
      const { toolType, id } = fieldsOf(toolCall)
      record.addServerTool(stringOf(toolType).toLowerCase(), findText(id))
    }
    if (functionCall === undefined || functionCall === null) return []
    const call = readCall(candidate, index, fieldsOf(functionCall))
    return [{ call, position, part, signature: findText(thoughtSignature) }]
  }

  function readCandidate(value: unknown, position: number): PartCall[] {
    const { index, content, finishReason, groundingMetadata } = fieldsOf(value)
    const own = typeof index === 'number' ? index : position
    const parts = listOf(fieldsOf(content)['parts'])
    const calls = parts.flatMap((part, at) => readPart(own, position, at, part))
    if (listOf(fieldsOf(groundingMetadata)['webSearchQueries']).length > 0) {
      record.addServerTool('google_search', undefined)
    }
    const reason = findText(finishReason)
    if (reason === undefined) return calls
    record.setEnd({ kind: 'finished', reason })
    const { open } = candidateAt(own)
    if (open !== undefined) record.complete(open)
    return calls
  }

  return {
    read(response) {
      record.setIdentity(response['modelVersion'], response['responseId'])
      const calls = listOf(response['candidates']).flatMap(readCandidate)
      readUsage(record, fieldsOf(response['usageMetadata']))
      const blocked = findText(fieldsOf(response['promptFeedback'])['blockReason'])
      if (blocked !== undefined) record.setEnd({ kind: 'finished', reason: blocked })
      return calls
    },
    edits(root, calls) {
      const listed = listItems(readMembers(root).get('candidates'))
      return listed.flatMap((candidate, position) => {
        const own = calls.filter((call) => call.position === position)
        return editCandidate(candidate, own, candidateAt)
      })
    },
  }
}

/** The text part instead of a refused call; undefined if the part is omitted. */
function refusalPart({ call, signature }: PartCall, candidate: Candidate): string | undefined {
  candidate.signature ??= signature
  if (call.state !== 'refused' || call.isReplaced) return undefined
  call.isReplaced = true
  const lead = call.followsText || candidate.hasRefusal ? '\n' : ''
  candidate.hasRefusal = true
  return JSON.stringify({ text: lead + call.refusal, thoughtSignature: signature })
}

/** A kept call, with the signature that a refused one before it had. */
function keptPart(span: Span, { signature }: PartCall, candidate: Candidate): string {
  const moved = signature === undefined ? candidate.signature : undefined
  candidate.signature = undefined
  if (moved === undefined) return rawText(span)
  const edit = editMembers(span, new Map([['thoughtSignature', JSON.stringify(moved)]]))
  return decodeText(applyEdits(span, [edit]))
}

function editCandidate(
  span: Span,
  calls: readonly PartCall[],
  candidateAt: (index: number) => Candidate,
): Edit[] {
  const parts = readMembers(readMembers(span).get('content')).get('parts')
  if (parts === undefined || calls.length === 0) return []
  const before: string[] = []
  const callAt = new Map(calls.map((call) => [call.part, call]))
  const after = listItems(parts).flatMap((part, at) => {
    before.push(rawText(part))
    const found = callAt.get(at)
    if (found === undefined) return rawText(part)
    const candidate = candidateAt(found.call.choice)
    const isGone = isRemoved(found.call)
    return (isGone ? refusalPart(found, candidate) : keptPart(part, found, candidate)) ?? []
  })
  if (before.join() === after.join()) return []
  return [{ start: parts.start, end: parts.end, text: `[${after.join(',')}]` }]
}

/** Every response of a stream has the totals so far. */
function readUsage(record: TurnRecord, usage: Fields): void {
  if (typeof usage['promptTokenCount'] !== 'number') return
  const thoughts = countOf(usage['thoughtsTokenCount'])
  record.addUsage({
    inputTokens: usage['promptTokenCount'] + countOf(usage['toolUsePromptTokenCount']),
    cachedTokens: countOf(usage['cachedContentTokenCount']),
    outputTokens: countOf(usage['candidatesTokenCount']) + thoughts,
  })
  record.countReasoning(thoughts)
}

export function noteGeminiError(record: TurnRecord, body: Fields): boolean {
  if (body['error'] === undefined) return false
  record.setEnd({ kind: 'failed', message: stringOf(fieldsOf(body['error'])['message']) })
  return true
}

export function createGeminiReader(record: TurnRecord, format: StreamFormat): EventReader {
  const turn = createGeminiTurn(record)
  const eventCalls = new WeakMap<CutEvent, readonly PartCall[]>()
  const isArray = format === 'json_array'

  return {
    keepAlive: isArray ? '\n' : ': keep-alive\n\n',
    errorEvent(message, hasForwarded) {
      const error = JSON.stringify(geminiError(500, message))
      if (!isArray) return frameEvent(undefined, error)
      return hasForwarded ? `,${error}]` : `[${error}]`
    },
    read(event): EventReading {
      if (event.data === undefined) return FREE_EVENT
      const response = eventFields(event)
      if (noteGeminiError(record, response)) return ERROR_EVENT
      const calls = turn.read(response)
      if (calls.length === 0) return FREE_EVENT
      eventCalls.set(event, calls)
      return { waitsFor: record.allCalls, isError: false }
    },
    rewrite(event) {
      const calls = eventCalls.get(event)
      if (calls === undefined) return undefined
      const root = rootSpan(payloadBytes(event))
      const edits = turn.edits(root, calls)
      if (edits.length === 0) return undefined
      const text = decodeText(applyEdits(root, edits))
      return isArray ? reframeItem(event, text) : frameEvent(event.name, text)
    },
  }
}
