import { encodeText } from './byte-queue.ts'
import type { CutEvent, Cutter } from './event-cutter.ts'
import { type EventReader, isHalfEvent } from './event-reader.ts'
import { createHeldQueue } from './held-queue.ts'
import type { TurnRecord } from './turn-record.ts'
import type { AnswerStream, StreamFault, StreamOptions, StreamStep } from './wire-format.ts'

const EVENT_BYTES_MAX = 8 * 1024 * 1024
const HELD_BYTES_MAX = 32 * 1024 * 1024

type Parts = { record: TurnRecord; reader: EventReader; cutter: Cutter; options: StreamOptions }

/**
 * holding: events leave whole and wait for calls. rewriting: after abandon, if calls were refused
 * before: events leave whole and nothing waits. raw: bytes leave as they come and are only read.
 * faulted: waits for abandon or fail. closed: ignores everything.
 */
type Mode = 'holding' | 'rewriting' | 'raw' | 'faulted' | 'closed'

const NO_STEP: StreamStep = { forward: [], decide: [], fault: undefined }

/** The stream of every wire; what differs is in the reader and the cutter. */
export function createAnswerStream({ record, reader, cutter, options }: Parts): AnswerStream {
  const { eventBytesMax = EVENT_BYTES_MAX, heldBytesMax = HELD_BYTES_MAX } = options
  const queue = createHeldQueue(record, reader)
  let mode: Mode = options.isHolding === false ? 'raw' : 'holding'
  let hasRawBytes = false
  let isReadable = true

  /** Gives the fault of the event, or of a call that an error of the provider cut off. */
  function takeEvent(event: CutEvent): StreamFault | undefined {
    const { waitsFor, isError, isUnreadable } = reader.read(event)
    if (mode === 'rewriting') queue.forward(event)
    if (mode !== 'holding' && mode !== 'faulted') return undefined
    queue.add(event, waitsFor)
    if (mode === 'faulted') return undefined
    if (isUnreadable === true) {
      mode = 'faulted'
      return { kind: 'unreadable_event' }
    }
    if (!isError || !record.dropOpenCalls()) return undefined
    queue.flush()
    return { kind: 'truncated_call', hasProviderError: true }
  }

  function judgeSizes(): StreamFault | undefined {
    const pending = cutter.pending.size()
    if (pending > eventBytesMax) return { kind: 'event_too_large' }
    const held = queue.bytes()
    const isHeldTooLarge = held > 0 && held + pending > heldBytesMax
    if (!isHeldTooLarge && record.callBytes() <= heldBytesMax) return undefined
    return { kind: 'held_too_large' }
  }

  /** An event that leaves before it is complete is not read if it is too large. */
  function pushRaw(chunk: Uint8Array): StreamStep {
    hasRawBytes = true
    if (isReadable) {
      for (const event of cutter.cut(chunk)) reader.read(event)
      if (cutter.pending.size() > eventBytesMax || record.callBytes() > heldBytesMax) {
        isReadable = false
        cutter.pending.take()
      }
    }
    return { forward: [chunk], decide: record.takeCompleted(), fault: undefined }
  }

  function close(message: string): Uint8Array[] {
    const isWithinEvent = mode === 'raw' && cutter.pending.size() > 0
    mode = 'closed'
    queue.clear()
    cutter.pending.take()
    const error = reader.errorEvent(message, hasRawBytes || queue.hasForwarded())
    return [encodeText(isWithinEvent ? `\n\n${error}` : error)]
  }

  return {
    push(chunk) {
      if (mode === 'closed' || mode === 'faulted') return NO_STEP
      if (mode === 'raw') return pushRaw(chunk)
      let fault: StreamFault | undefined
      for (const event of cutter.cut(chunk)) {
        const found = takeEvent(event)
        fault ??= found
      }
      const tooLarge = fault?.kind === 'unreadable_event' ? undefined : judgeSizes()
      if (tooLarge !== undefined) mode = 'faulted'
      return {
        forward: queue.takeOut(),
        decide: record.takeCompleted(),
        fault: tooLarge ?? fault,
      }
    },
    end() {
      if (mode === 'closed' || mode === 'faulted') return NO_STEP
      const rest = isReadable ? cutter.end() : undefined
      const isHalf = mode === 'holding' && rest !== undefined && isHalfEvent(rest)
      let fault = rest === undefined || isHalf ? undefined : takeEvent(rest)
      if (mode === 'holding' && (record.dropOpenCalls() || isHalf)) {
        queue.flush()
        fault ??= { kind: 'truncated_call', hasProviderError: record.hasFailed() }
      }
      return { forward: queue.takeOut(), decide: record.takeCompleted(), fault }
    },
    settle(verdicts) {
      if (mode !== 'holding') return []
      record.settleAll(verdicts)
      queue.flush()
      return queue.takeOut()
    },
    abandon() {
      if (mode !== 'holding' && mode !== 'faulted') return []
      // Only whole events can be rewritten, and a call refused before must not come back in this one.
      if (cutter.pending.size() > eventBytesMax && record.hasRefusals()) {
        return close('The answer has an event that is too large.')
      }
      record.releaseAll()
      queue.releaseAll()
      mode = record.hasRefusals() ? 'rewriting' : 'raw'
      if (mode === 'raw') {
        for (const piece of cutter.pending.peek()) queue.forwardPiece(piece)
      }
      return queue.takeOut()
    },
    fail: (message) => (mode === 'closed' ? [] : close(message)),
    keepAlive: () => encodeText(reader.keepAlive),
    summary: record.summary,
    heldBytes: () => queue.bytes() + cutter.pending.size(),
  }
}
