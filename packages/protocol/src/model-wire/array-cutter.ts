import { createByteQueue, decodeText, joinPieces } from './byte-queue.ts'
import type { CutEvent, Cutter } from './event-cutter.ts'

const QUOTE = 0x22
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Cuts a streamed JSON array, the form of Gemini without `alt=sse`, after each of its objects. The
 * brackets and commas between two objects belong to the second. An object outside of an array, such as
 * an error, is cut as well.
 */
export function createArrayCutter(): Cutter {
  const pending = createByteQueue()
  /** Counts objects, and arrays within an object. */
  let depth = 0
  let isInString = false
  let isEscaped = false

  function takeStringByte(code: number | undefined): void {
    if (isEscaped) isEscaped = false
    else if (code === BACKSLASH) isEscaped = true
    else if (code === QUOTE) isInString = false
  }

  /** Whether the byte ends an object of the array. */
  function takeByte(code: number | undefined): boolean {
    if (isInString) takeStringByte(code)
    else if (code === QUOTE) isInString = true
    else if (code === OPEN_OBJECT || (code === OPEN_ARRAY && depth > 0)) depth++
    else if (depth > 0 && (code === CLOSE_OBJECT || code === CLOSE_ARRAY)) return --depth === 0
    return false
  }

  return {
    pending,
    cut(chunk) {
      const events: CutEvent[] = []
      let start = 0
      for (let at = 0; at < chunk.length; at++) {
        if (!takeByte(chunk[at])) continue
        pending.append(chunk.subarray(start, at + 1))
        events.push(readItem(pending.take()))
        start = at + 1
      }
      pending.append(chunk.subarray(start))
      return events
    },
    end() {
      return pending.size() === 0 ? undefined : readItem(pending.take())
    },
  }
}

function readItem(pieces: readonly Uint8Array[]): CutEvent {
  const text = decodeText(joinPieces(pieces))
  const open = text.indexOf('{')
  const data = open === -1 ? undefined : text.slice(open)
  return { pieces, name: undefined, data, isUnreadable: false }
}

/** The event with its object replaced; what comes before it stays. */
export function reframeItem(event: CutEvent, data: string): string {
  const text = decodeText(joinPieces(event.pieces))
  return `${text.slice(0, text.indexOf('{'))}${data}`
}
