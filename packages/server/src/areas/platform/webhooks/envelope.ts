import { isTraceType } from './event-types.ts'

/** A payload has at most 64 KB (spec: interface, Limits). */
export const BODY_BYTES_MAX = 65_536
const STRING_LENGTH_MAX = 1000
const ARRAY_LENGTH_MAX = 20

/** An event as it is stored in the outbox. */
export type EventRecord = {
  id: string
  type: string
  accountId: string
  createdAt: Date
  data: object
}

/** All type names of an event: a trace event has several, any other event only its type. */
export function namesOf(event: { type: string; data: object }): readonly string[] {
  const all: unknown = 'all_events' in event.data ? event.data.all_events : undefined
  return Array.isArray(all) ? all.map(String) : [event.type]
}

/** The body that is signed and sent. Built once, so that every attempt sends the same bytes. */
export function bodyOf(event: EventRecord): string {
  const content = isTraceType(event.type) ? traceEnvelope(event) : plainEnvelope(event)
  return fit(content)
}

type Content = { envelope: Record<string, unknown>; part: 'data' | 'trace' }

function plainEnvelope(event: EventRecord): Content {
  const { id, type, accountId, data } = event
  const created = event.createdAt.toISOString()
  return {
    part: 'data',
    envelope: { id, type, created_at: created, account_id: accountId, data },
  }
}

function traceEnvelope(event: EventRecord): Content {
  const created = event.createdAt.toISOString()
  return {
    part: 'trace',
    envelope: {
      id: event.id,
      event: event.type,
      all_events: namesOf(event),
      created_at: created,
      timestamp: created,
      account_id: event.accountId,
      trace: 'trace' in event.data ? event.data.trace : null,
    },
  }
}

/** Truncates strings first, then arrays, then everything but ids (spec: platform §5.3). */
function fit({ envelope, part }: Content): string {
  const whole = JSON.stringify(envelope)
  if (isShort(whole)) return whole
  const withPart = (value: unknown) =>
    JSON.stringify({ ...envelope, [part]: value, truncated: true })
  const texts = cutStrings(envelope[part])
  const lists = cutArrays(texts)
  const shorter = [texts, lists].map(withPart).find(isShort)
  return shorter ?? withPart(idsOf(lists))
}

function isShort(body: string): boolean {
  return Buffer.byteLength(body) <= BODY_BYTES_MAX
}

function cutStrings(value: unknown): unknown {
  if (typeof value === 'string') return cut(value)
  return mapChildren(value, cutStrings)
}

/** Cuts at a code point, so that no surrogate pair is split. */
function cut(text: string): string {
  if (text.length <= STRING_LENGTH_MAX) return text
  return [...text].slice(0, STRING_LENGTH_MAX).join('')
}

function cutArrays(value: unknown): unknown {
  return mapChildren(Array.isArray(value) ? value.slice(0, ARRAY_LENGTH_MAX) : value, cutArrays)
}

function mapChildren(value: unknown, change: (inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]))
}

/** Keeps only ids, with which the receiver can fetch the rest. */
function idsOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null
  const kept = Object.entries(value).filter(([key]) => /_ids?$/.test(key))
  return Object.fromEntries(kept)
}
