import {
  attributesOf,
  hexOf,
  integerOf,
  itemsOfJson,
  listOf,
  memberOf,
  textOf,
} from './json-reader.ts'
import { ERROR_STATUS, fromNanos, type OwnPart, type Span, type SpanEvent } from './span.ts'

/** An ExportTraceServiceRequest in JSON. */
export function spansOfJson(request: unknown): Span[] {
  const levels = { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans' }
  return itemsOfJson(request, levels, readSpan)
}

function readSpan(span: unknown, path: string): OwnPart {
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
