import { isJsonObject } from '../base/shape.ts'
import type { Fields } from './answer-values.ts'
import { encodeText, joinPieces } from './byte-queue.ts'
import type { CutEvent } from './event-cutter.ts'
import { parseJson } from './json-span.ts'
import type { CallGroup, TurnRecord } from './turn-record.ts'

/** The part of a stream that differs between wires. */
export type EventReader = {
  /** Notes what the event says. */
  read(event: CutEvent): EventReading
  /**
   * The event without its refused calls; undefined if it stays as it is, empty if nothing is left.
   * Called for every event that leaves once there is a refusal, in order.
   */
  rewrite(event: CutEvent): string | undefined
  /** The provider's error, as the last event of a stream. */
  errorEvent(message: string, hasForwarded: boolean): string
  keepAlive: string
}

export type EventReading = {
  /** The event can leave as soon as all of these are settled. The group may still grow. */
  waitsFor: CallGroup
  /** The provider reports an error, so calls that are open have no end. */
  isError: boolean
  /** A client may read what we cannot, and find a call in it. */
  isUnreadable?: boolean
}

const NO_CALLS: CallGroup = { unsettled: 0 }
/** Nothing ever settles it. */
const NO_VERDICT: CallGroup = { unsettled: 1 }
export const FREE_EVENT: EventReading = { waitsFor: NO_CALLS, isError: false }
export const ERROR_EVENT: EventReading = { waitsFor: NO_CALLS, isError: true }

const UNREADABLE_EVENT: EventReading = { waitsFor: NO_VERDICT, isError: false, isUnreadable: true }

/** Reads an event by its payload. */
export function readPayload(
  record: TurnRecord,
  event: CutEvent,
  read: (fields: Fields) => EventReading,
): EventReading {
  const payload = payloadOf(event)
  if (payload === 'unreadable') return UNREADABLE_EVENT
  if (payload === 'none') return FREE_EVENT
  record.setSource(event.data ?? '')
  return read(payload)
}

/** Whether the last bytes of a stream are an event that was cut off within its object. */
export function isHalfEvent(event: CutEvent): boolean {
  const beginsObject = !event.isForeign && event.data?.trimStart().startsWith('{') === true
  return beginsObject && payloadOf(event) === 'unreadable'
}

/** Some servers end streams of every wire with [DONE]. */
function payloadOf({ isForeign, data = '' }: CutEvent): Fields | 'none' | 'unreadable' {
  if (isForeign) return 'unreadable'
  if (data.trim() === '' || data.startsWith('[DONE]')) return 'none'
  const value = parseJson(data)
  return isJsonObject(value) ? value : 'unreadable'
}

/** The payload of an event as bytes, for edits. */
export function payloadBytes(event: CutEvent): Uint8Array {
  return event.data === undefined ? joinPieces(event.pieces) : encodeText(event.data)
}
