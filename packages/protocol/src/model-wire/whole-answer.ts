import { isJsonObject } from '../base/shape.ts'
import type { Fields } from './answer-values.ts'
import { decodeText } from './byte-queue.ts'
import {
  applyEdits,
  type Edit,
  isTooDeep,
  looksLikeObject,
  parseJson,
  rootSpan,
  type Span,
  wholeOf,
} from './json-span.ts'
import { createTurnRecord, type TurnRecord } from './turn-record.ts'
import type { AnswerFormat, WholeAnswer } from './wire-format.ts'

/** Reads a body that is one JSON object; the edits remove what the record says is refused. */
export function readWholeAnswer(
  body: Uint8Array,
  read: (record: TurnRecord, body: Fields) => void,
  editsOf: (root: Span, record: TurnRecord) => Edit[],
): WholeAnswer | 'unreadable' | undefined {
  const text = decodeText(body)
  const value = isTooDeep(body) ? undefined : parseJson(text)
  if (value === undefined && looksLikeObject(text)) return 'unreadable'
  if (!isJsonObject(value)) return undefined
  const record = createTurnRecord()
  read(record, value)
  return {
    calls: record.takeCompleted(),
    summary: record.summary(),
    rewrite(verdicts) {
      record.settleAll(verdicts)
      if (!record.hasRefusals()) return body
      return applyEdits(wholeOf(body), editsOf(rootSpan(body), record))
    },
  }
}

/** For wires whose only stream is one of events. A body that names itself neither is what was asked. */
export function eventStreamFormat(answer: {
  contentType: string | undefined
  isStreamAsked: boolean
}): AnswerFormat {
  const type = answer.contentType?.toLowerCase() ?? ''
  if (type.includes('text/event-stream')) return 'sse'
  if (type.includes('json')) return 'json'
  return answer.isStreamAsked ? 'sse' : 'json'
}
