import { itemsOfProtobuf, readAttribute } from './protobuf-items.ts'
import {
  type Field,
  fixed64Of,
  hexOf,
  int64Of,
  messageOf,
  type ProtobufReader,
  textOf,
} from './protobuf-reader.ts'
import {
  type AttributeValue,
  ERROR_STATUS,
  fromNanos,
  type OwnPart,
  type Span,
  type SpanEvent,
} from './span.ts'

/** An ExportTraceServiceRequest in protobuf. */
export function spansOfProtobuf(request: Uint8Array): Span[] {
  return itemsOfProtobuf(request, 'spans', readSpan)
}

function readSpan(reader: ProtobufReader, message: Uint8Array): OwnPart {
  const attributes = new Map<string, AttributeValue>()
  const events: SpanEvent[] = []
  const ids = { traceId: '', spanId: '', parentSpanId: '', name: '' }
  const figures = { kind: 0, endMs: 0, failed: false }
  for (const field of reader.fields(message)) {
    if (field.number === 9) readAttribute(reader, messageOf(field), attributes)
    else if (field.number === 11) events.push(readEvent(reader, messageOf(field)))
    else if (field.number === 15) figures.failed = isError(reader, messageOf(field))
    else if (field.number === 6) figures.kind = Number(int64Of(field))
    else if (field.number === 8) figures.endMs = fromNanos(fixed64Of(field))
    else readId(field, ids)
  }
  return { ...ids, ...figures, attributes, events }
}

function readId(field: Field, ids: Pick<Span, 'traceId' | 'spanId' | 'parentSpanId' | 'name'>) {
  if (field.number === 1) ids.traceId = hexOf(field)
  else if (field.number === 2) ids.spanId = hexOf(field)
  else if (field.number === 4) ids.parentSpanId = hexOf(field)
  else if (field.number === 5) ids.name = textOf(field)
}

function readEvent(reader: ProtobufReader, message: Uint8Array): SpanEvent {
  const attributes = new Map<string, AttributeValue>()
  let name = ''
  for (const field of reader.fields(message)) {
    if (field.number === 2) name = textOf(field)
    else if (field.number === 3) readAttribute(reader, messageOf(field), attributes)
  }
  return { name, attributes }
}

function isError(reader: ProtobufReader, message: Uint8Array): boolean {
  let code = 0n
  for (const field of reader.fields(message)) if (field.number === 3) code = int64Of(field)
  return code === BigInt(ERROR_STATUS)
}
