import {
  argumentText,
  countOf,
  type Fields,
  fieldsOf,
  findText,
  listOf,
  stringOf,
} from './answer-values.ts'
import { anthropicError } from './anthropic-made.ts'
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
import {
  applyEdits,
  type Edit,
  listItems,
  parseJson,
  readMembers,
  rootSpan,
  type Span,
  textOf,
} from './json-span.ts'
import { areAllRefused, type HeldCall, isRemoved, type TurnRecord } from './turn-record.ts'

const TOOL_USE_REASON = 'tool_use'
const END_REASON = 'end_turn'
const NEW_CALL = { choice: 0, callId: undefined, name: '', kind: 'function' } as const

/**
 * Answers of the Messages API. A call is a content block of type tool_use, from content_block_start
 * to content_block_stop; the text that replaces it is a block with the same index.
 */
export function createAnthropicReader(record: TurnRecord): EventReader {
  /** The last call that began at an index, also after its end. */
  const callAt = new Map<unknown, HeldCall>()
  /** Calls by the events that begin, continue and end them. */
  const eventCalls = new WeakMap<CutEvent, HeldCall>()
  let blocks = 0
  let block = { key: '', isThinking: false, hasThought: false }
  const withFragments = new Set<HeldCall>()

  function touch(event: CutEvent, call: HeldCall): EventReading {
    eventCalls.set(event, call)
    return { waitsFor: call.group, isError: false }
  }

  function startBlock(event: CutEvent, { index, content_block }: Fields): EventReading {
    const content = fieldsOf(content_block)
    const thought = stringOf(content['thinking'])
    block = {
      key: String(blocks++),
      isThinking: content['type'] === 'thinking',
      hasThought: thought !== '',
    }
    const call = readBlock(record, content, block.key)
    if (call === undefined) {
      callAt.delete(index)
      return FREE_EVENT
    }
    callAt.set(index, call)
    return touch(event, call)
  }

  function readDelta(event: CutEvent, { index, delta }: Fields): EventReading {
    const { type, text, thinking, partial_json } = fieldsOf(delta)
    if (type === 'text_delta') record.addText(block.key, stringOf(text))
    else if (type === 'thinking_delta') {
      record.addThinking(block.key, stringOf(thinking), 'native')
      if (thinking !== '') block.hasThought = true
    }
    const call = callAt.get(index)
    if (call === undefined) return FREE_EVENT
    if (call.state === 'open') {
      takeInput(call, stringOf(partial_json))
      return touch(event, call)
    }
    if (type !== 'input_json_delta') return touch(event, call)
    // Clients append these to the input even after the block, so they would change a decided call.
    const late = record.openCall({ ...NEW_CALL, group: { unsettled: 0 } })
    record.drop(late)
    return touch(event, late)
  }

  /** Fragments replace an input that the start of the block has. */
  function takeInput(call: HeldCall, fragment: string): void {
    if (fragment === '') return
    if (!withFragments.has(call)) record.replaceArguments(call, '')
    withFragments.add(call)
    record.appendArguments(call, fragment)
  }

  function stopBlock(event: CutEvent, { index }: Fields): EventReading {
    if (block.isThinking && !block.hasThought) record.withholdThinking()
    const call = callAt.get(index)
    if (call === undefined) return FREE_EVENT
    record.complete(call)
    return touch(event, call)
  }

  /** Clients read a block that has no end as soon as the message ends. */
  function completeAll(): EventReading {
    for (const call of record.calls) record.complete(call)
    return { waitsFor: record.allCalls, isError: false }
  }

  return {
    keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
    errorEvent: (message) => frameEvent('error', JSON.stringify(anthropicError(500, message))),
    read(event) {
      if (event.data === undefined) return FREE_EVENT
      const fields = eventFields(event)
      switch (fields['type']) {
        case 'content_block_delta':
          return readDelta(event, fields)
        case 'content_block_start':
          return startBlock(event, fields)
        case 'content_block_stop':
          return stopBlock(event, fields)
        case 'message_start':
          readMessage(record, fieldsOf(fields['message']))
          return completeAll()
        case 'message_delta': {
          readUsage(record, fieldsOf(fields['usage']))
          readStop(record, fieldsOf(fields['delta']))
          return completeAll()
        }
        case 'message_stop':
          return completeAll()
        case 'error':
          record.setEnd({ kind: 'failed', message: stringOf(fieldsOf(fields['error'])['message']) })
          return ERROR_EVENT
        default:
          return FREE_EVENT
      }
    },
    rewrite(event) {
      const call = eventCalls.get(event)
      if (call !== undefined) return isRemoved(call) ? replaceBlock(event, call) : undefined
      if (event.data === undefined) return undefined
      const root = rootSpan(payloadBytes(event))
      const members = readMembers(root)
      const delta = members.get('delta') ?? members.get('message')
      const edits = delta === undefined ? [] : messageEdits(delta, record.calls)
      return edits.length === 0 ? undefined : frameEvent(event.name, textWith(root, edits))
    },
  }
}

function textWith(root: Span, edits: readonly Edit[]): string {
  return decodeText(applyEdits(root, edits))
}

/** The three events of a text block instead of the first event of the call. */
function replaceBlock(event: CutEvent, call: HeldCall): string {
  if (call.isReplaced || call.state === 'dropped') return ''
  call.isReplaced = true
  const { index } = fieldsOf(parseJson(event.data ?? ''))
  const named = (data: Fields) => frameEvent(stringOf(data['type']), JSON.stringify(data))
  return [
    named({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } }),
    named({
      type: 'content_block_delta',
      index,
      delta: { type: 'text_delta', text: call.refusal },
    }),
    named({ type: 'content_block_stop', index }),
  ].join('')
}

/** Notes a content block, of a stream or whole. Returns the call that it begins. */
function readBlock(record: TurnRecord, content: Fields, key: string): HeldCall | undefined {
  const type = stringOf(content['type'])
  if (type === 'text') record.addText(key, stringOf(content['text']))
  else if (type === 'thinking') record.addThinking(key, stringOf(content['thinking']), 'native')
  else if (type === 'redacted_thinking') record.withholdThinking()
  else if (type === 'tool_use') {
    const { id, name, input } = content
    const group = { unsettled: 0 }
    const named = { callId: findText(id), name: stringOf(name) }
    const call = record.openCall({ ...NEW_CALL, ...named, group })
    // In a stream this is the empty object, and the fragments that follow are the input.
    const text = argumentText(input)
    if (text !== '{}')
      record.replaceArguments(call, typeof input === 'string' ? JSON.stringify(input) : text)
    return call
  } else if (type.endsWith('_tool_use')) {
    record.addServerTool(stringOf(content['name']), findText(content['id']))
  }
  return undefined
}

/** A whole message. The one of message_start is nearly empty. */
function readMessage(record: TurnRecord, message: Fields): void {
  record.setIdentity(message['model'], message['id'])
  readUsage(record, fieldsOf(message['usage']))
  readStop(record, message)
  for (const [index, item] of listOf(message['content']).entries()) {
    const content = fieldsOf(item)
    const isThinking = content['type'] === 'thinking'
    if (isThinking && stringOf(content['thinking']) === '') record.withholdThinking()
    readBlock(record, content, `message-${index}`)
  }
}

/** Notes a message or an error, the two bodies of an answer without stream. */
export function readAnthropicBody(record: TurnRecord, body: Fields): void {
  if (body['type'] === 'error') {
    record.setEnd({ kind: 'failed', message: stringOf(fieldsOf(body['error'])['message']) })
    return
  }
  readMessage(record, body)
  for (const call of record.calls) record.complete(call)
}

export function anthropicBodyEdits(root: Span, record: TurnRecord): Edit[] {
  return messageEdits(root, record.calls)
}

function readStop(record: TurnRecord, { stop_reason }: Fields): void {
  const reason = findText(stop_reason)
  if (reason !== undefined) record.setEnd({ kind: 'finished', reason })
}

/** The counts of a message_delta are totals that replace those of message_start. */
function readUsage(record: TurnRecord, usage: Fields): void {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } =
    usage
  if (typeof input_tokens === 'number') {
    const cached = countOf(cache_read_input_tokens)
    const inputTokens = input_tokens + countOf(cache_creation_input_tokens) + cached
    record.addUsage({ inputTokens, cachedTokens: cached })
  }
  if (typeof output_tokens === 'number') record.addUsage({ outputTokens: output_tokens })
}

/** Replaces the refused blocks of a message, and its stop reason if no call is left. */
function messageEdits(message: Span, calls: readonly HeldCall[]): Edit[] {
  const members = readMembers(message)
  const edits: Edit[] = []
  let position = 0
  for (const item of listItems(members.get('content'))) {
    if (textOf(readMembers(item).get('type')) !== 'tool_use') continue
    const call = calls[position++]
    if (call?.state !== 'refused') continue
    const text = JSON.stringify({ type: 'text', text: call.refusal })
    edits.push({ start: item.start, end: item.end, text })
  }
  const reason = members.get('stop_reason')
  if (textOf(reason) === TOOL_USE_REASON && reason && areAllRefused(calls)) {
    edits.push({ start: reason.start, end: reason.end, text: JSON.stringify(END_REASON) })
  }
  return edits
}
