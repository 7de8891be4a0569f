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

/**
 * An ExportTraceServiceRequest in the JSON encoding of OTLP: names in lowerCamelCase, ids in
 * hexadecimal, 64-bit numbers as text or number, enumerations as numbers. Skips unknown names; null
 * means absent.
 */
export function spansOfJson(request: unknown): Span[] {
  const spans: Span[] = []
  listOf(memberOf(request, 'resourceSpans', ''), '/resourceSpans').forEach((group, index) => {
    readResourceSpans(group, `/resourceSpans/${index}`, spans)
  })
  return spans
}

function readResourceSpans(group: unknown, path: string, spans: Span[]): void {
  const resource = memberOf(group, 'resource', path)
  const attributes = resource === undefined ? new Map() : attributesOf(resource, `${path}/resource`)
  listOf(memberOf(group, 'scopeSpans', path), `${path}/scopeSpans`).forEach((scoped, index) => {
    const scopePath = `${path}/scopeSpans/${index}`
    const about = memberOf(scoped, 'scope', scopePath)
    const scope = about === undefined ? '' : textOf(about, 'name', `${scopePath}/scope`)
    listOf(memberOf(scoped, 'spans', scopePath), `${scopePath}/spans`).forEach((span, at) => {
      assertRoom(spans.length)
      spans.push({ ...readSpan(span, `${scopePath}/spans/${at}`), resource: attributes, scope })
    })
  })
}

function readSpan(span: unknown, path: string): Omit<Span, 'resource' | 'scope'> {
  const events = listOf(memberOf(span, 'events', path), `${path}/events`)
  const status = memberOf(span, 'status', path)
  return {
    traceId: hexOf(span, 'traceId', path),
    spanId: hexOf(span, 'spanId', path),
    parentSpanId: hexOf(span, 'parentSpanId', path),
    name: textOf(span, 'name', path),
    kind: Number(integerOf(span, 'kind', path)),
    endMs: fromNanos(integerOf(span, 'endTimeUnixNano', path)),
    failed:
      status !== undefined && integerOf(status, 'code', `${path}/status`) === BigInt(ERROR_STATUS),
    attributes: attributesOf(span, path),
    events: events.map((event, index) => readEvent(event, `${path}/events/${index}`)),
  }
}

function readEvent(event: unknown, path: string): SpanEvent {
  return { name: textOf(event, 'name', path), attributes: attributesOf(event, path) }
}

function attributesOf(holder: unknown, path: string): Attributes {
  return pairsOf(memberOf(holder, 'attributes', path), `${path}/attributes`)
}

function pairsOf(list: unknown, path: string): Map<string, AttributeValue> {
  return new Map(
    listOf(list, path).map((pair, index) => {
      const at = `${path}/${index}`
      return [textOf(pair, 'key', at), readValue(memberOf(pair, 'value', at), `${at}/value`)]
    }),
  )
}

/** An AnyValue. Bytes are ignored. */
function readValue(value: unknown, path: string): AttributeValue {
  if (value === undefined) return null
  const text = memberOf(value, 'stringValue', path)
  if (text !== undefined) return textOf(value, 'stringValue', path)
  const flag = memberOf(value, 'boolValue', path)
  if (typeof flag === 'boolean') return flag
  if (flag !== undefined) throw wrong(`${path}/boolValue`, 'true or false')
  const whole = memberOf(value, 'intValue', path)
  if (whole !== undefined) return Number(integerOf(value, 'intValue', path))
  const double = memberOf(value, 'doubleValue', path)
  if (double !== undefined) return doubleOf(double, `${path}/doubleValue`)
  return severalOf(value, path)
}

function severalOf(value: unknown, path: string): AttributeValue {
  const array = memberOf(value, 'arrayValue', path)
  if (array !== undefined) {
    const at = `${path}/arrayValue/values`
    const values = listOf(memberOf(array, 'values', `${path}/arrayValue`), at)
    return values.map((item, index) => readValue(item, `${at}/${index}`))
  }
  const members = memberOf(value, 'kvlistValue', path)
  if (members === undefined) return null
  const list = memberOf(members, 'values', `${path}/kvlistValue`)
  return Object.fromEntries(pairsOf(list, `${path}/kvlistValue/values`))
}

/** JSON has no literals for these numbers, so OTLP writes them as strings. */
const WORDS = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])

function doubleOf(value: unknown, path: string): number {
  if (typeof value === 'number') return value
  const read = typeof value === 'string' ? (WORDS.get(value) ?? decimal(value)) : undefined
  if (read !== undefined) return read
  throw wrong(path, 'a number')
}

function decimal(text: string): number | undefined {
  return /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : undefined
}

/** 0 if absent, as in protobuf. */
function integerOf(holder: unknown, name: string, path: string): bigint {
  const value = memberOf(holder, name, path)
  if (value === undefined) return 0n
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value)
  throw wrong(`${path}/${name}`, 'a whole number, or one as text')
}

function textOf(holder: unknown, name: string, path: string): string {
  const value = memberOf(holder, name, path)
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  throw wrong(`${path}/${name}`, 'text')
}

function hexOf(holder: unknown, name: string, path: string): string {
  const text = textOf(holder, name, path)
  if (/^[0-9a-fA-F]*$/.test(text)) return text.toLowerCase()
  throw wrong(`${path}/${name}`, 'hexadecimal digits')
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw wrong(path, 'a list')
}

function memberOf(holder: unknown, name: string, path: string): unknown {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) {
    throw wrong(path === '' ? 'the body' : path, 'an object')
  }
  const value: unknown = Object.getOwnPropertyDescriptor(holder, name)?.value
  return value === null ? undefined : value
}

function wrong(path: string, wanted: string): MalformedRequest {
  return new MalformedRequest(`${path} must be ${wanted}`)
}
