/**
 * A span as either encoding of OTLP says it: as much of it as decisions are read from. What a
 * value is wrapped in on the wire is gone.
 */
export type AttributeValue =
  | string
  | number
  | boolean
  | null
  | readonly AttributeValue[]
  | { readonly [name: string]: AttributeValue }

export type Attributes = ReadonlyMap<string, AttributeValue>

export type SpanEvent = { name: string; attributes: Attributes }

export type Span = {
  /** Lower-case hexadecimal, of whatever length was sent. */
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  /** SpanKind of the protocol. */
  kind: number
  /** In milliseconds since 1970; 0 when it was not said. */
  endMs: number
  failed: boolean
  attributes: Attributes
  events: readonly SpanEvent[]
  resource: Attributes
  /** Name of the instrumentation. */
  scope: string
}

/** Of SpanKind. */
export const CLIENT_KIND = 3
/** Of the status of a span. */
export const ERROR_STATUS = 2

/** The whole request cannot be read; says where and why. */
export class MalformedRequest extends Error {}

/**
 * More than collectors put into one request. An empty span is two bytes and yet takes longer to
 * read than any other field, so without this a small request would hold everybody up.
 */
const SPANS_MAX = 20_000

export function assertRoom(spans: number): void {
  if (spans >= SPANS_MAX) {
    throw new MalformedRequest(`more than ${SPANS_MAX} spans; send smaller batches`)
  }
}

/** Times are nanoseconds on the wire. */
export function fromNanos(nanos: bigint): number {
  return Number(nanos / 1_000_000n)
}
