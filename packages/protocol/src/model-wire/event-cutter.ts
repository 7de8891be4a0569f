import { type ByteQueue, createByteQueue, decodeText, joinPieces } from './byte-queue.ts'

/** One event of a stream, or one item of a streamed JSON array, with all bytes up to the next. */
export type CutEvent = {
  /** The bytes as they came, framing included. */
  pieces: readonly Uint8Array[]
  /** The `event:` field. */
  name: string | undefined
  /** The payload, usually JSON; undefined for comments and blank lines. */
  data: string | undefined
  /** Whether there are bytes besides the payload that are no part of the format. */
  isForeign: boolean
}

export type Cutter = {
  /** The events that end in this chunk. */
  cut(chunk: Uint8Array): CutEvent[]
  /** The rest as an event, if there is one: clients differ in whether they read it. */
  end(): CutEvent | undefined
  /** The bytes of the unfinished event. */
  pending: ByteQueue
}

const LF = 0x0a
const CR = 0x0d

/**
 * Cuts server-sent events (WHATWG HTML, 9.2.6) at any chunk boundary, with LF, CRLF or CR as line end.
 * A blank line ended by CR is complete with the next byte, which may be the LF of the same line end;
 * so in a stream of CR alone, which no provider sends, an event leaves with the start of the next.
 */
export function createEventCutter(): Cutter {
  const pending = createByteQueue()
  const lines = createLineScanner()

  return {
    pending,
    cut(chunk) {
      const events: CutEvent[] = []
      let start = 0
      lines.scan(chunk, (end) => {
        const own = chunk.subarray(start, end)
        start = end
        if (pending.size() === 0) events.push(readEvent([own]))
        else {
          pending.append(own)
          events.push(readEvent(pending.take()))
        }
      })
      pending.append(chunk.subarray(start))
      return events
    },
    end() {
      return pending.size() === 0 ? undefined : readEvent(pending.take())
    },
  }
}

type LineScanner = {
  /** Calls back with the place after every blank line of the chunk, its line end included. */
  scan(chunk: Uint8Array, onBlank: (end: number) => void): void
}

function createLineScanner(): LineScanner {
  let hasLineBytes = false
  /** The last chunk ended with CR; whether the line that it ended was blank. */
  let afterCr: 'blank' | 'line' | undefined

  /** The line end that the last chunk left open. Gives where the next line begins. */
  function finishLineEnd(chunk: Uint8Array, onBlank: (end: number) => void): number {
    const end = afterCr !== undefined && chunk[0] === LF ? 1 : 0
    if (afterCr === 'blank') onBlank(end)
    afterCr = undefined
    return end
  }

  /** Gives where the line after this line end begins. */
  function endLine(chunk: Uint8Array, lineEnd: number, isBlank: boolean): number {
    hasLineBytes = false
    const next = lineEnd + 1
    if (chunk[lineEnd] === LF) return next
    if (next === chunk.length) afterCr = isBlank ? 'blank' : 'line'
    return chunk[next] === LF ? next + 1 : next
  }

  return {
    scan(chunk, onBlank) {
      if (chunk.length === 0) return
      const findLineEnd = lineEndFinder(chunk)
      let at = finishLineEnd(chunk, onBlank)
      for (let end = findLineEnd(at); end !== -1; end = findLineEnd(at)) {
        const isBlank = end === at && !hasLineBytes
        at = endLine(chunk, end, isBlank)
        if (isBlank && afterCr === undefined) onBlank(at)
      }
      if (at < chunk.length) hasLineBytes = true
    },
  }
}

/** Finds the next LF or CR from a place that only grows, with native searches. */
function lineEndFinder(chunk: Uint8Array): (from: number) => number {
  let lf = -2
  let cr = -2
  return (from) => {
    if (lf !== -1 && lf < from) lf = chunk.indexOf(LF, from)
    if (cr !== -1 && cr < from) cr = chunk.indexOf(CR, from)
    if (cr === -1) return lf
    return lf === -1 ? cr : Math.min(lf, cr)
  }
}

const NAME_START = 'event: '
const DATA_START = 'data: '

/** Nearly every event is one line of data, perhaps after its name, which needs no list of lines. */
function readUsualForm(pieces: readonly Uint8Array[], text: string): CutEvent | undefined {
  const isNamed = text.startsWith(NAME_START)
  const nameEnd = isNamed ? text.indexOf('\n') : -1
  const dataStart = nameEnd + 1
  if (!text.startsWith(DATA_START, dataStart)) return undefined
  if (text.indexOf('\n', dataStart) < text.length - 2 || text.includes('\r')) return undefined
  const name = isNamed ? text.slice(NAME_START.length, nameEnd) : undefined
  const data = text.slice(dataStart + DATA_START.length).trimEnd()
  return { pieces, name, data, isForeign: false }
}

const LINE_END = /\r\n|\n|\r/
const BYTE_ORDER_MARK = 0xfeff

function readEvent(pieces: readonly Uint8Array[]): CutEvent {
  const text = decodeText(joinPieces(pieces))
  const usual = readUsualForm(pieces, text)
  if (usual !== undefined) return usual
  let name: string | undefined
  let data: string | undefined
  let isForeign = false
  for (const line of text.split(LINE_END)) {
    const field = line.charCodeAt(0) === BYTE_ORDER_MARK ? line.slice(1) : line
    const value = fieldValue(field, 'data')
    if (value !== undefined) data = data === undefined ? value : `${data}\n${value}`
    else if (KNOWN_LINE.test(field)) name = fieldValue(field, 'event') ?? name
    else isForeign = true
  }
  return { pieces, name, data, isForeign }
}

/** Blank lines, comments and the fields of the format except `data`. */
const KNOWN_LINE = /^$|^:|^(?:event|id|retry)(?::|$)/

function fieldValue(line: string, field: string): string | undefined {
  if (!line.startsWith(field)) return undefined
  if (line.length === field.length) return ''
  if (line[field.length] !== ':') return undefined
  return line.slice(field.length + (line[field.length + 1] === ' ' ? 2 : 1))
}

/** An event with this payload, in the framing of providers. */
export function frameEvent(name: string | undefined, data: string): string {
  const lines = data.split(LINE_END).map((line) => `data: ${line}\n`)
  return `${name === undefined ? '' : `event: ${name}\n`}${lines.join('')}\n`
}
