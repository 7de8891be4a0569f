/** The part of an OTLP span that decisions are read from, in either encoding, with plain values. */
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
  /** Lower-case hexadecimal, of any length that was sent. */
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  /** SpanKind of the protocol. */
  kind: number
  /** In milliseconds since 1970; 0 if absent. */
  endMs: number
  failed: boolean
  attributes: Attributes
  events: readonly SpanEvent[]
  resource: Attributes
  /** The name of the instrumentation. */
  scope: string
}

/** A span without what it shares with others of the request. */
export type OwnPart = Omit<Span, 'resource' | 'scope'>

/** SpanKind CLIENT. */
export const CLIENT_KIND = 3
/** Status code ERROR. */
export const ERROR_STATUS = 2

/** The whole request cannot be parsed; the message says where and why. */
export class MalformedRequest extends Error {}

/**
 * More than collectors put into one request. An empty item is two bytes but takes longer to read than
 * any other field, so without this limit a small request could block the event loop.
 */
const ITEMS_MAX = 20_000

export function assertRoom(read: number, items: string): void {
  if (read >= ITEMS_MAX) {
    throw new MalformedRequest(`more than ${ITEMS_MAX} ${items}; send smaller batches`)
  }
}

/** OTLP times are in nanoseconds. */
export function fromNanos(nanos: bigint): number {
  return Number(nanos / 1_000_000n)
}
