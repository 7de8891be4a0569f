import { type Fields, fieldsOf } from './answer-values.ts'
import { encodeText, joinPieces } from './byte-queue.ts'
import type { CutEvent } from './event-cutter.ts'
import { looksLikeObject, parseJson } from './json-span.ts'
import type { CallGroup } from './turn-record.ts'

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
}

const NO_CALLS: CallGroup = { unsettled: 0 }
export const FREE_EVENT: EventReading = { waitsFor: NO_CALLS, isError: false }
export const ERROR_EVENT: EventReading = { waitsFor: NO_CALLS, isError: true }

/**
 * The fields of the payload; none if it is no object. A lenient client could read what begins like an
 * object and is none for us, so such an event is marked.
 */
export function eventFields(event: CutEvent): Fields {
  const { data = '' } = event
  const value = parseJson(data)
  if (value === undefined && looksLikeObject(data)) event.isUnreadable = true
  return fieldsOf(value)
}

/** Whether the last bytes of a stream are an object without its end. */
export function isHalfEvent({ data = '' }: CutEvent): boolean {
  return looksLikeObject(data) && parseJson(data) === undefined
}

/** The payload of an event as bytes, for edits. */
export function payloadBytes(event: CutEvent): Uint8Array {
  return event.data === undefined ? joinPieces(event.pieces) : encodeText(event.data)
}
