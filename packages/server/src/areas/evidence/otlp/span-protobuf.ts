import {
  createProtobufReader,
  doubleOf,
  type Field,
  fixed64Of,
  hexOf,
  int64Of,
  messageOf,
  type ProtobufReader,
  textOf,
} from './protobuf-reader.ts'
import {
  type Attributes,
  type AttributeValue,
  assertRoom,
  ERROR_STATUS,
  fromNanos,
  MalformedRequest,
  type Span,
  type SpanEvent,
} from './span.ts'

/** Several times the fields of a full request of a real exporter; bounds the work for a hostile one. */
const FIELDS_MAX = 1_000_000

/** Maximum nesting of values. */
const DEPTH_MAX = 20

type OwnPart = Omit<Span, 'resource' | 'scope'>

/** An ExportTraceServiceRequest (opentelemetry-proto 1.x). Skips unknown fields. */
export function spansOfProtobuf(request: Uint8Array): Span[] {
  const reader = createProtobufReader(FIELDS_MAX)
  const spans: Span[] = []
  for (const field of reader.fields(request)) {
    if (field.number === 1) readResourceSpans(reader, messageOf(field), spans)
  }
  return spans
}

/** Fields come in any order, so the resource may follow its spans. */
function readResourceSpans(reader: ProtobufReader, message: Uint8Array, spans: Span[]): void {
  const resource = new Map<string, AttributeValue>()
  const scopes: Uint8Array[] = []
  for (const field of reader.fields(message)) {
    if (field.number === 1) readAttributes(reader, messageOf(field), 1, resource)
    else if (field.number === 2) scopes.push(messageOf(field))
  }
  for (const scope of scopes) readScopeSpans(reader, scope, resource, spans)
}

function readScopeSpans(
  reader: ProtobufReader,
  message: Uint8Array,
  resource: Attributes,
  spans: Span[],
): void {
  let scope = ''
  const own: OwnPart[] = []
  for (const field of reader.fields(message)) {
    if (field.number === 1) scope = nameOf(reader, messageOf(field), 1)
    else if (field.number === 2) {
      assertRoom(spans.length + own.length)
      own.push(readSpan(reader, messageOf(field)))
    }
  }
  for (const part of own) spans.push({ ...part, resource, scope })
}

function nameOf(reader: ProtobufReader, message: Uint8Array, number: number): string {
  let name = ''
  for (const field of reader.fields(message)) if (field.number === number) name = textOf(field)
  return name
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

function readAttributes(
  reader: ProtobufReader,
  message: Uint8Array,
  number: number,
  into: Map<string, AttributeValue>,
): void {
  for (const field of reader.fields(message)) {
    if (field.number === number) readAttribute(reader, messageOf(field), into)
  }
}

function readAttribute(
  reader: ProtobufReader,
  message: Uint8Array,
  into: Map<string, AttributeValue>,
  depth = 1,
): void {
  let key = ''
  let value: AttributeValue = null
  for (const field of reader.fields(message)) {
    if (field.number === 1) key = textOf(field)
    else if (field.number === 2) value = readValue(reader, messageOf(field), depth)
  }
  into.set(key, value)
}

/** An AnyValue: the last of several members wins. Bytes are ignored. */
function readValue(reader: ProtobufReader, message: Uint8Array, depth: number): AttributeValue {
  if (depth > DEPTH_MAX) throw new MalformedRequest(`values nested deeper than ${DEPTH_MAX}`)
  let value: AttributeValue = null
  for (const field of reader.fields(message)) {
    value = readMember(reader, field, depth) ?? value
  }
  return value
}

function readMember(
  reader: ProtobufReader,
  field: Field,
  depth: number,
): AttributeValue | undefined {
  switch (field.number) {
    case 1:
      return textOf(field)
    case 2:
      return int64Of(field) !== 0n
    case 3:
      return Number(int64Of(field))
    case 4:
      return doubleOf(field)
    case 5:
      return readList(reader, messageOf(field), depth)
    case 6:
      return readMembers(reader, messageOf(field), depth)
    default:
      return undefined
  }
}

function readList(reader: ProtobufReader, message: Uint8Array, depth: number): AttributeValue[] {
  const values: AttributeValue[] = []
  for (const field of reader.fields(message)) {
    if (field.number === 1) values.push(readValue(reader, messageOf(field), depth + 1))
  }
  return values
}

function readMembers(reader: ProtobufReader, message: Uint8Array, depth: number): AttributeValue {
  const members = new Map<string, AttributeValue>()
  for (const field of reader.fields(message)) {
    if (field.number === 1) readAttribute(reader, messageOf(field), members, depth + 1)
  }
  return Object.fromEntries(members)
}
