import { countOf, type Fields, fieldsOf, findText, listOf, stringOf } from './answer-values.ts'
import { decodeText } from './byte-queue.ts'
import {
  type ChoiceCall,
  type ChoiceCalls,
  type ChoicePart,
  createChoiceCalls,
} from './choice-calls.ts'
import { type CutEvent, frameEvent } from './event-cutter.ts'
import {
  ERROR_EVENT,
  type EventReader,
  type EventReading,
  FREE_EVENT,
  payloadBytes,
  readPayload,
} from './event-reader.ts'
import { applyEdits, type Edit, listItems, readMembers, rootSpan } from './json-span.ts'
import { choiceEdits, isEmptyChunk } from './openai-chat-edits.ts'
import { openaiError } from './openai-made.ts'
import type { TurnRecord } from './turn-record.ts'

/**
 * Reads answers of the Chat Completions API. The tool calls of a choice are complete at its
 * finish_reason, or at [DONE] for servers that send none. A refused call is removed from tool_calls,
 * the others are renumbered without gaps, and the text of the refusal is added to the content.
 */
export function createChatReader(record: TurnRecord): EventReader {
  const choices = createChoiceCalls(record)
  const eventCalls = new WeakMap<CutEvent, readonly ChoiceCall[]>()

  function completeAll(): EventReading {
    for (const choice of new Set(record.calls.map((call) => call.choice))) {
      choices.markShared(choice)
    }
    for (const call of record.calls) record.complete(call)
    return { waitsFor: record.allCalls, isError: false }
  }

  return {
    keepAlive: ': keep-alive\n\n',
    errorEvent: (message) => frameEvent(undefined, JSON.stringify(openaiError(500, message))),
    read(event) {
      if (event.data?.startsWith('[DONE]')) return completeAll()
      return readPayload(record, event, (chunk) => {
        if (noteError(record, chunk)) return ERROR_EVENT
        const calls = readCompletion(record, choices, chunk, 'delta')
        if (calls.length > 0) eventCalls.set(event, calls)
        return waitFor(record, choices, chunk)
      })
    },
    rewrite(event) {
      if (event.data === undefined) return undefined
      const calls = eventCalls.get(event) ?? []
      const root = rootSpan(payloadBytes(event))
      const edits = completionEdits(root, choices, calls, 'delta')
      if (edits.length === 0) return undefined
      const text = decodeText(applyEdits(root, edits))
      return isEmptyChunk(text) ? '' : frameEvent(event.name, text)
    },
  }
}

/**
 * An event waits for the decisions on the calls of its choice; an event with several choices, for
 * those on all calls.
 */
function waitFor(record: TurnRecord, choices: ChoiceCalls, chunk: Fields): EventReading {
  const list = listOf(chunk['choices'])
  if (record.calls.length === 0 || list.length === 0) return FREE_EVENT
  const [first] = list
  const waitsFor = list.length > 1 ? record.allCalls : choices.groupOf(choiceIndex(first, 0))
  return { waitsFor, isError: false }
}

function choiceIndex(choice: unknown, position: number): number {
  const { index } = fieldsOf(choice)
  return typeof index === 'number' ? index : position
}

function noteError(record: TurnRecord, body: Fields): boolean {
  const { error } = body
  if (error === undefined || error === null) return false
  const message = typeof error === 'string' ? error : stringOf(fieldsOf(error)['message'])
  record.setEnd({ kind: 'failed', message })
  return true
}

/** Notes a chunk, or a whole completion, whose choices have a message instead of a delta. */
function readCompletion(
  record: TurnRecord,
  choices: ChoiceCalls,
  completion: Fields,
  part: ChoicePart,
): ChoiceCall[] {
  record.setIdentity(completion['model'], completion['id'])
  readUsage(record, fieldsOf(completion['usage']))
  const calls: ChoiceCall[] = []
  for (const [position, item] of listOf(completion['choices']).entries()) {
    const choice = fieldsOf(item)
    // Clients join chunks by the index of a choice, but take each choice of a message as it is.
    const index = part === 'message' ? position : choiceIndex(choice, position)
    const body = fieldsOf(choice[part])
    if (readTexts(record, body, String(index))) choices.noteText(index)
    calls.push(...choices.readCalls({ choice: index, position, part, body }))
    const reason = findText(choice['finish_reason'])
    if (reason === undefined) continue
    record.setEnd({ kind: 'finished', reason })
    if (part === 'delta') choices.markShared(index)
    for (const call of choices.callsOf(index)) record.complete(call)
  }
  return calls
}

/** Returns whether there was text that clients show as content. */
function readTexts(record: TurnRecord, delta: Fields, block: string): boolean {
  const { content, refusal, reasoning_content, reasoning, reasoning_details } = delta
  // Not part of the API of OpenAI, but compatible servers stream the model's reasoning in these.
  record.addThinking(block, findText(reasoning_content) ?? stringOf(reasoning), 'native')
  for (const detail of listOf(reasoning_details)) {
    if (fieldsOf(detail)['type'] === 'reasoning.encrypted') record.withholdThinking()
  }
  record.addText(block, stringOf(refusal))
  record.addText(block, stringOf(content))
  let hasParts = false
  for (const item of listOf(content)) {
    const part = fieldsOf(item)
    record.addText(block, stringOf(part['text']))
    for (const thought of listOf(part['thinking'])) {
      record.addThinking(block, stringOf(fieldsOf(thought)['text']), 'native')
    }
    hasParts = true
  }
  return hasParts || stringOf(content) !== ''
}

function readUsage(record: TurnRecord, usage: Fields): void {
  const { prompt_tokens, completion_tokens } = usage
  if (typeof prompt_tokens !== 'number') return
  record.addUsage({
    inputTokens: prompt_tokens,
    cachedTokens: countOf(fieldsOf(usage['prompt_tokens_details'])['cached_tokens']),
    outputTokens: countOf(completion_tokens),
  })
  const details = fieldsOf(usage['completion_tokens_details'])
  record.countReasoning(countOf(details['reasoning_tokens']))
}

function completionEdits(
  root: ReturnType<typeof rootSpan>,
  choices: ChoiceCalls,
  calls: readonly ChoiceCall[],
  part: ChoicePart,
): Edit[] {
  return listItems(readMembers(root).get('choices')).flatMap((choice, position) => {
    const own = calls.filter((call) => call.position === position)
    return choiceEdits(choice, { choices, calls: own, part, position })
  })
}

/** How readWholeAnswer reads and edits a completion. */
export function createCompletionBody() {
  let calls: ChoiceCall[] = []
  let choices: ChoiceCalls | undefined
  return {
    read(record: TurnRecord, body: Fields): void {
      choices = createChoiceCalls(record)
      if (noteError(record, body)) return
      calls = readCompletion(record, choices, body, 'message')
      for (const call of record.calls) record.complete(call)
    },
    edits: (root: ReturnType<typeof rootSpan>): Edit[] =>
      choices === undefined ? [] : completionEdits(root, choices, calls, 'message'),
  }
}
