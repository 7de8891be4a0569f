import { appendPiece, encodeText } from './byte-queue.ts'
import type { CutEvent } from './event-cutter.ts'
import type { EventReader } from './event-reader.ts'
import type { CallGroup, TurnRecord } from './turn-record.ts'

type HeldEvent = { event: CutEvent; waitsFor: CallGroup; bytes: number }

/** Events that wait for calls, in the order in which they came, and the bytes that can leave. */
export type HeldQueue = {
  /** Lets the event leave, or holds it if it waits or if others wait before it. */
  add(event: CutEvent, waitsFor: CallGroup): void
  forward(event: CutEvent): void
  forwardPiece(piece: Uint8Array): void
  /** Lets the first events leave that no longer wait. */
  flush(): void
  /** Lets all events leave. */
  releaseAll(): void
  clear(): void
  /** The bytes that left since the last time. */
  takeOut(): Uint8Array[]
  bytes(): number
  hasForwarded(): boolean
}

export function createHeldQueue(record: TurnRecord, reader: EventReader): HeldQueue {
  let events: HeldEvent[] = []
  let bytes = 0
  let out: Uint8Array[] = []
  let hasForwarded = false

  function forward(event: CutEvent): void {
    const rewritten = record.hasRefusals() ? reader.rewrite(event) : undefined
    if (rewritten === undefined) {
      for (const piece of event.pieces) appendPiece(out, piece)
    } else if (rewritten !== '') out.push(encodeText(rewritten))
  }

  function clear(): void {
    events = []
    bytes = 0
  }

  return {
    forward,
    clear,
    add(event, waitsFor) {
      if (events.length === 0 && waitsFor.unsettled === 0) {
        forward(event)
        return
      }
      let length = 0
      for (const piece of event.pieces) length += piece.length
      bytes += length
      events.push({ event, waitsFor, bytes: length })
    },
    forwardPiece: (piece) => appendPiece(out, piece),
    flush() {
      const stays = events.findIndex(({ waitsFor }) => waitsFor.unsettled > 0)
      const leaving = stays === -1 ? events.length : stays
      for (const held of events.slice(0, leaving)) {
        forward(held.event)
        bytes -= held.bytes
      }
      if (leaving > 0) events = events.slice(leaving)
    },
    releaseAll() {
      for (const { event } of events) forward(event)
      clear()
    },
    takeOut() {
      const taken = out
      if (taken.length > 0) {
        out = []
        hasForwarded = true
      }
      return taken
    },
    bytes: () => bytes,
    hasForwarded: () => hasForwarded,
  }
}
