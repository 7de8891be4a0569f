import { decodeText, encodeText, joinPieces } from './byte-queue.ts'

/**
 * Reads and edits JSON without parsing all of it: values are found by their place in the bytes, so a
 * body of 20 MB is neither copied nor changed outside of an edit, and large numbers stay as written.
 * Assumes JSON that is valid; on other input every function ends and finds something or nothing.
 */
export type Span = { bytes: Uint8Array; start: number; end: number }

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The one value of a text. */
export function rootSpan(bytes: Uint8Array): Span {
  const { start } = openSpan(bytes)
  return { bytes, start, end: skipValue(bytes, start) }
}

/** The same without a search for its end, for reading the members of a large body. */
export function openSpan(bytes: Uint8Array): Span {
  return { bytes, start: skipSpace(bytes, hasMark(bytes) ? 3 : 0), end: bytes.length }
}

/** All bytes, those around the value included. */
export function wholeOf(bytes: Uint8Array): Span {
  return { bytes, start: 0, end: bytes.length }
}

/** A byte order mark, which some clients send. */
function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

export function isObjectSpan(span: Span): boolean {
  return span.bytes[span.start] === OPEN_OBJECT
}

export function isArraySpan(span: Span): boolean {
  return span.bytes[span.start] === OPEN_ARRAY
}

/** The values by key; of duplicates the last, as with JSON.parse. Empty if it is no object. */
export function readMembers(object: Span | undefined): Map<string, Span> {
  const members = new Map<string, Span>()
  if (object !== undefined && isObjectSpan(object)) {
    for (const { key, value } of eachMember(object)) members.set(key, value)
  }
  return members
}

function* eachMember({ bytes, start, end }: Span): Generator<{ key: string; value: Span }> {
  let at = skipSpace(bytes, start + 1)
  while (at < end && bytes[at] === QUOTE) {
    const keyEnd = skipString(bytes, at)
    const key = textOf({ bytes, start: at, end: keyEnd }) ?? ''
    const valueStart = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
    const valueEnd = skipValue(bytes, valueStart)
    yield { key, value: { bytes, start: valueStart, end: valueEnd } }
    at = skipSpace(bytes, skipSpace(bytes, valueEnd) + 1)
  }
}

/** Empty if it is no array. */
export function listItems(array: Span | undefined): Span[] {
  const items: Span[] = []
  if (array === undefined || !isArraySpan(array)) return items
  const { bytes, end } = array
  let at = skipSpace(bytes, array.start + 1)
  while (at < end - 1) {
    const itemEnd = skipValue(bytes, at)
    if (itemEnd === at) break
    items.push({ bytes, start: at, end: itemEnd })
    at = skipSpace(bytes, itemEnd)
    if (bytes[at] !== COMMA) break
    at = skipSpace(bytes, at + 1)
  }
  return items
}

/** Undefined if it is no string. */
export function textOf(span: Span | undefined): string | undefined {
  if (span === undefined || span.bytes[span.start] !== QUOTE) return undefined
  const text = decodeText(span.bytes.subarray(span.start + 1, span.end - 1))
  if (!text.includes('\\')) return text
  const value = parseSpan(span)
  return typeof value === 'string' ? value : undefined
}

/** The parsed value; undefined if it is not valid. */
export function parseSpan(span: Span | undefined): unknown {
  if (span === undefined) return undefined
  return parseJson(decodeText(span.bytes.subarray(span.start, span.end)))
}

/** Undefined if it is not valid JSON, or nested too deeply to be parsed and walked. */
export function parseJson(text: string): unknown {
  if (text.length > SHALLOW_LENGTH && isTooDeep(encodeText(text))) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** Whether a text begins like a JSON object, whatever follows. */
export function looksLikeObject(text: string): boolean {
  return /^\uFEFF?\s*\{/.test(text)
}

export type Edit = { start: number; end: number; text: string | Uint8Array }

/** The bytes of the span with the edits, which must not overlap, at places of the whole. */
export function applyEdits(span: Span, edits: readonly Edit[]): Uint8Array {
  const pieces: Uint8Array[] = []
  let at = span.start
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(span.bytes.subarray(at, edit.start))
    pieces.push(typeof edit.text === 'string' ? encodeText(edit.text) : edit.text)
    at = edit.end
  }
  pieces.push(span.bytes.subarray(at, span.end))
  return joinPieces(pieces)
}

/** The edit that gives an object other members: undefined removes one, absent keys stay. */
export function editMembers(object: Span, changes: ReadonlyMap<string, string | undefined>): Edit {
  const members: string[] = []
  const added = new Map(changes)
  for (const { key, value } of eachMember(object)) {
    const isChanged = changes.has(key)
    added.delete(key)
    const text = isChanged ? changes.get(key) : rawText(value)
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`)
  }
  for (const [key, text] of added) {
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`)
  }
  return { start: object.start, end: object.end, text: `{${members.join(',')}}` }
}

export function rawText({ bytes, start, end }: Span): string {
  return decodeText(bytes.subarray(start, end))
}

/** The edit that appends an item to an array. */
export function appendItem(array: Span, text: string): Edit {
  const last = listItems(array).at(-1)
  const at = last?.end ?? array.start + 1
  return { start: at, end: at, text: last === undefined ? text : `,${text}` }
}

/** The edit that appends to a string. */
export function insertText(string: Span, text: string): Edit {
  const at = string.end - 1
  return { start: at, end: at, text: JSON.stringify(text).slice(1, -1) }
}

/** Nesting that no request of a client reaches; JSON.parse takes 300 ms for a megabyte of brackets. */
const DEPTH_MAX = 512

/** Shorter texts parse quickly at any depth, and code that walks a value can follow them. */
const SHALLOW_LENGTH = 2 * DEPTH_MAX

/** Whether the bytes are nested so deeply that parsing them would block the process. */
export function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at]
    if (code === QUOTE) at = skipString(bytes, at) - 1
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++depth > DEPTH_MAX) return true
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--
  }
  return false
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const code = bytes[at]
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at++
  }
}

/** The end of the value that starts here; at most the length of the bytes. */
function skipValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start]
  if (first === QUOTE) return skipString(bytes, start)
  if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return skipLiteral(bytes, start)
  let depth = 0
  let at = start
  while (at < bytes.length) {
    const code = bytes[at]
    if (code === QUOTE) {
      at = skipString(bytes, at)
      continue
    }
    at++
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth++
    else if ((code === CLOSE_ARRAY || code === CLOSE_OBJECT) && --depth === 0) return at
  }
  return bytes.length
}

/** Numbers, true, false and null. */
function skipLiteral(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length) {
    const code = bytes[at] ?? 0
    const isWord = (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a)
    if (!isWord && !(code >= 0x61 && code <= 0x7a) && !isNumberSign(code)) break
    at++
  }
  return at
}

function isNumberSign(code: number): boolean {
  return code === 0x2b || code === 0x2d || code === 0x2e
}

/** Text with one escaped quote, such as code, usually has more of them nearby. */
const NEARBY_BYTES = 256

/**
 * The end of the string that starts here, quotes included. A native search skips long texts quickly,
 * but costs more than a loop if quotes are close together.
 */
function skipString(bytes: Uint8Array, start: number): number {
  let close = bytes.indexOf(QUOTE, start + 1)
  while (close !== -1 && isEscaped(bytes, start, close)) {
    close = findNearbyQuote(bytes, close + 1)
  }
  return close === -1 ? bytes.length : close + 1
}

/** The next quote, escaped or not; -1 if there is none. */
function findNearbyQuote(bytes: Uint8Array, from: number): number {
  const end = Math.min(from + NEARBY_BYTES, bytes.length)
  for (let at = from; at < end; at++) {
    if (bytes[at] === QUOTE) return at
  }
  return bytes.indexOf(QUOTE, end)
}

/** Whether an odd number of backslashes precedes the quote. */
function isEscaped(bytes: Uint8Array, start: number, quote: number): boolean {
  let at = quote - 1
  while (at > start && bytes[at] === BACKSLASH) at--
  return (quote - 1 - at) % 2 === 1
}
