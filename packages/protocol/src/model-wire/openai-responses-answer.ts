import { argumentText, type Fields, fieldsOf, stringOf } from './answer-values.ts'
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
import { applyEdits, parseJson, parseSpan, readMembers, rootSpan } from './json-span.ts'
import { openaiError } from './openai-made.ts'
import { createResponseOutput, refusalItem } from './openai-responses-output.ts'
import { type HeldCall, isRemoved, type TurnRecord } from './turn-record.ts'

/** The events that a call or a response makes change. */
type Touched = { call: HeldCall } | { calls: ReadonlyMap<number, HeldCall> }

/**
 * Answers of the Responses API. A call is an output item, from output_item.added to output_item.done;
 * the text that replaces it is a message at the same output_index, in the whole response at the end too.
 */
export function createResponsesReader(record: TurnRecord): EventReader {
  const output = createResponseOutput(record)
  const touched = new WeakMap<CutEvent, Touched>()
  const sequence = createSequence()

  function touch(event: CutEvent, call: HeldCall | undefined): EventReading {
    if (call === undefined) return FREE_EVENT
    touched.set(event, { call })
    return { waitsFor: call.group, isError: false }
  }

  /** Clients read the whole response at its end, in which every call must be settled. */
  function readResponse(event: CutEvent, type: string, response: Fields): EventReading {
    const calls = output.readResponse(response)
    const isError = type === 'response.failed'
    if (type === 'response.completed' || type === 'response.incomplete') {
      for (const call of record.calls) record.complete(call)
    }
    if (calls.size > 0) touched.set(event, { calls })
    return { waitsFor: record.allCalls, isError }
  }

  function readPart(event: CutEvent, type: string, fields: Fields): EventReading {
    const { output_index: index, content_index, summary_index } = fields
    const delta = stringOf(fields['delta'])
    const call = output.callAt(index)
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        output.addText(`${index}-${content_index}`, delta)
        break
      case 'response.reasoning_text.delta':
        output.addThinking(`${index}-reasoning-${content_index}`, delta, 'native')
        break
      case 'response.reasoning_summary_text.delta':
        output.addThinking(`${index}-summary-${summary_index}`, delta, 'reasoning_summary')
        break
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (call !== undefined) output.appendArguments(call, delta)
        break
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        if (call === undefined) break
        output.checkArguments(call, argumentText(fields['arguments'] ?? fields['input']))
    }
    return touch(event, call)
  }

  function rewriteTouched(event: CutEvent, change: Touched | undefined): string | undefined {
    const root = rootSpan(payloadBytes(event))
    const members = readMembers(root)
    if (change !== undefined && 'call' in change && isRemoved(change.call)) {
      return replaceItem(event, change.call, sequence)
    }
    const response = members.get('response')
    const hasCalls = change !== undefined && 'calls' in change && response !== undefined
    const edits = hasCalls ? output.edits(response, change.calls) : []
    const number = members.get('sequence_number')
    const own = parseSpan(number)
    if (number !== undefined && typeof own === 'number') {
      const next = sequence.next(own)
      if (next !== own) edits.push({ start: number.start, end: number.end, text: String(next) })
    }
    if (edits.length === 0) return undefined
    return frameEvent(event.name, decodeText(applyEdits(root, edits)))
  }

  return {
    keepAlive: ': keep-alive\n\n',
    errorEvent(message) {
      const { error } = openaiError(500, message)
      // Clients throw because of `error`; the other fields are those of the documented event.
      const fields = { type: 'error', code: error.type, message, param: null, error }
      const numbered = { ...fields, sequence_number: sequence.next(0) }
      return frameEvent('error', JSON.stringify(numbered))
    },
    read(event) {
      if (event.data === undefined) return FREE_EVENT
      const fields = eventFields(event)
      sequence.note(fields['sequence_number'])
      const type = stringOf(fields['type'])
      if (type === 'error') {
        const message = stringOf(fields['message'] ?? fieldsOf(fields['error'])['message'])
        record.setEnd({ kind: 'failed', message })
        return ERROR_EVENT
      }
      if (fields['response'] !== undefined) {
        return readResponse(event, type, fieldsOf(fields['response']))
      }
      const index = Number(fields['output_index'])
      const item = fieldsOf(fields['item'])
      if (type === 'response.output_item.added') return touch(event, output.addItem(index, item))
      if (type === 'response.output_item.done') return touch(event, output.finishItem(index, item))
      return readPart(event, type, fields)
    },
    rewrite(event) {
      return event.data === undefined ? undefined : rewriteTouched(event, touched.get(event))
    },
  }
}

type Sequence = {
  note(number: unknown): void
  /** The number itself, or the next one if it is taken because a refusal needed more events. */
  next(number: number): number
}

function createSequence(): Sequence {
  let last = -1
  let isRewriting = false
  let lastRead = -1
  return {
    note(number) {
      if (typeof number === 'number') lastRead = number
    },
    next(number) {
      // An error of ours comes after everything that was read.
      const own = number === 0 && !isRewriting ? lastRead + 1 : number
      isRewriting = true
      last = Math.max(own, last + 1)
      return last
    },
  }
}

/** The six events of a message instead of the first event of the call. */
function replaceItem(event: CutEvent, call: HeldCall, sequence: Sequence): string {
  if (call.isReplaced || call.state === 'dropped') return ''
  call.isReplaced = true
  const { output_index, sequence_number, item, item_id } = fieldsOf(parseJson(event.data ?? ''))
  const message = refusalItem(call, fieldsOf(item)['id'] ?? item_id)
  const text = call.refusal
  const part = { type: 'output_text', text, annotations: [], logprobs: [] }
  const place = { item_id: message['id'], output_index, content_index: 0 }
  const start = { ...message, status: 'in_progress', content: [] }
  const events: Fields[] = [
    { type: 'response.output_item.added', output_index, item: start },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: text, logprobs: [] },
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index, item: message },
  ]
  const first = typeof sequence_number === 'number' ? sequence_number : 0
  return events
    .map((fields) => {
      const numbered = { ...fields, sequence_number: sequence.next(first) }
      return frameEvent(stringOf(fields['type']), JSON.stringify(numbered))
    })
    .join('')
}
