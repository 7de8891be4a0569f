import type { LogRecord, OwnRecord } from './log-record.ts'
import { itemsOfProtobuf, readAttribute, readValue } from './protobuf-items.ts'
import {
  type Field,
  fixed64Of,
  hexOf,
  messageOf,
  type ProtobufReader,
  textOf,
} from './protobuf-reader.ts'
import { type AttributeValue, fromNanos } from './span.ts'

/** An ExportLogsServiceRequest in protobuf. */
export function logsOfProtobuf(request: Uint8Array): LogRecord[] {
  return itemsOfProtobuf(request, 'log records', readRecord)
}

function readRecord(reader: ProtobufReader, message: Uint8Array): OwnRecord {
  const attributes = new Map<string, AttributeValue>()
  const texts = { traceId: '', spanId: '', eventName: '' }
  const times = { emitted: 0n, observed: 0n }
  let body: AttributeValue = null
  for (const field of reader.fields(message)) {
    if (field.number === 6) readAttribute(reader, messageOf(field), attributes)
    else if (field.number === 5) body = readValue(reader, messageOf(field))
    else if (field.number === 1) times.emitted = fixed64Of(field)
    else if (field.number === 11) times.observed = fixed64Of(field)
    else readText(field, texts)
  }
  const { emitted, observed } = times
  return { ...texts, attributes, body, timeMs: fromNanos(emitted === 0n ? observed : emitted) }
}

function readText(field: Field, texts: Pick<OwnRecord, 'traceId' | 'spanId' | 'eventName'>) {
  if (field.number === 9) texts.traceId = hexOf(field)
  else if (field.number === 10) texts.spanId = hexOf(field)
  else if (field.number === 12) texts.eventName = textOf(field)
}
