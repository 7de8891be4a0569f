import { findJson, isObject } from './genai-message.ts'
import type { Origin } from './json-reader.ts'
import { type Attributes, type AttributeValue, CLIENT_KIND, type Span } from './span.ts'

/** The part of an OTLP log record that content is read from, in either encoding. */
export type LogRecord = Origin & {
  traceId: string
  spanId: string
  /** The name of the event; older SDKs put it into an attribute. */
  eventName: string
  /** In milliseconds since 1970; 0 if absent. */
  timeMs: number
  body: AttributeValue
  attributes: Attributes
}

/** A record without what it shares with others of the request. */
export type OwnRecord = Omit<LogRecord, keyof Origin>

/** The content of a model call that log records hold, and the indexes of those records. */
export type LoggedCall = { span: Span; records: readonly number[] }

/** Each record is part of a call, or is ignored for a reason. */
export type LogReading = { calls: readonly LoggedCall[]; ignored: ReadonlyMap<number, string> }

const DETAILS = 'gen_ai.client.inference.operation.details'

/**
 * Puts the records of one span back together as that span with its events: instrumentations emit one
 * record for each message and choice (conventions 1.28 to 1.36), or one with all details (since 1.37).
 */
export function readLogRecords(records: readonly LogRecord[]): LogReading {
  const bySpan = new Map<string, number[]>()
  const ignored = new Map<number, string>()
  records.forEach((record, index) => {
    const name = nameOf(record)
    if (name === undefined) ignored.set(index, 'not an event of a model')
    else if (record.traceId === '' || record.spanId === '') ignored.set(index, 'without a span')
    else {
      const key = `${record.traceId} ${record.spanId}`
      const known = bySpan.get(key)
      if (known === undefined) bySpan.set(key, [index])
      else known.push(index)
    }
  })
  const calls = [...bySpan.values()].map((indexes) => ({
    span: toSpan(indexes.flatMap((index) => records[index] ?? [])),
    records: indexes,
  }))
  return { calls, ignored }
}

/** Undefined unless the record is a GenAI event. */
function nameOf({ eventName, attributes }: LogRecord): string | undefined {
  const name = eventName === '' ? attributes.get('event.name') : eventName
  return typeof name === 'string' && name.startsWith('gen_ai.') ? name : undefined
}

function toSpan(records: readonly LogRecord[]): Span {
  const [first] = records
  const attributes = new Map<string, AttributeValue>()
  for (const record of records) {
    for (const [name, value] of record.attributes) if (!isMessage(name)) attributes.set(name, value)
  }
  if (!attributes.has('gen_ai.operation.name')) attributes.set('gen_ai.operation.name', 'chat')
  return {
    traceId: first?.traceId ?? '',
    spanId: first?.spanId ?? '',
    parentSpanId: '',
    name: '',
    kind: CLIENT_KIND,
    endMs: records.reduce((latest, { timeMs }) => Math.max(latest, timeMs), 0),
    failed: false,
    attributes,
    events: records.map((record) => ({ name: nameOf(record) ?? '', attributes: fieldsOf(record) })),
    resource: first?.resource ?? new Map(),
    scope: first?.scope ?? '',
  }
}

/** Content stays with its own event. */
function isMessage(name: string): boolean {
  return /^gen_ai\.(input\.messages|output\.messages|system_instructions|event\.content)$/.test(
    name,
  )
}

/** The body of older events has the fields of the message. */
function fieldsOf(record: LogRecord): Attributes {
  const { body, attributes } = record
  const value = typeof body === 'string' ? (findJson(body) ?? body) : body
  if (nameOf(record) === DETAILS || !isObject(value)) return attributes
  return new Map([...attributes, ...Object.entries(value)])
}
