import { isUtf8 } from 'node:buffer'

/**
 * Request bodies as JSON, without the inputs that two readers understand differently (duplicate
 * keys) or that cannot be stored and hashed (NUL, lone surrogates, numbers beyond a double).
 *
 * Most bodies are fine, so the value comes from JSON.parse and the rules are checked by counting;
 * only a body already known to be bad is read a second time, to tell its sender what is wrong.
 *
 * A key named `__proto__` becomes an ordinary own property, as JSON.parse makes it: no prototype
 * changes, and canonical JSON still hashes what was sent. It stays harmless as long as bodies are
 * copied with spread or Object.fromEntries, never with `target[key] = value` or Object.assign.
 */
export function parseStrictJson(bytes: Buffer, limits: JsonLimits = DEFAULT_LIMITS): JsonResult {
  if (bytes.length === 0) return { ok: false, reason: 'empty' }
  if (!isUtf8(bytes)) return { ok: false, reason: 'not valid UTF-8' }
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (err) {
    return { ok: false, reason: describeSyntaxError(err) }
  }
  const keys = countKeys(text)
  if (keys.areEscaped) value = parseKeysApart(text, limits.depthMax)
  const isSound = countMembers(value, limits.depthMax) === keys.count
  const mayBeBad = limits.anyText !== true && MAY_HIDE_BAD_TEXT.test(text)
  if (isSound && !(mayBeBad && holdsBadText(value))) return { ok: true, value }
  return { ok: false, reason: describeDefect(text, limits.depthMax) }
}

export type JsonLimits = {
  /** Arrays and objects inside each other; the root counts as 1. */
  depthMax: number
  /** Also NUL and lone surrogates, where the route looks at every text it keeps. */
  anyText?: boolean
}

export type JsonResult = { ok: true; value: unknown } | { ok: false; reason: string }

const DEFAULT_LIMITS: JsonLimits = { depthMax: 32 }

/** Raw NUL is no JSON and raw surrogates are no UTF-8, so bad characters come as escapes only. */
const MAY_HIDE_BAD_TEXT = /\\u(?:0000|[dD][89a-fA-F])/
/** With the u flag a surrogate pair is one character, so only lone halves match. */
const BAD_CHARACTER = /[\0\p{Surrogate}]/u

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const SPACE = 0x20

/**
 * The members of all objects in the value, or NaN when it breaks another rule: NaN equals no
 * count, so one comparison decides.
 *
 * INVARIANT: JSON.parse keeps one member per name, so the value has as many members as the text
 * has keys exactly when no object repeats one.
 */
function countMembers(value: unknown, depthLeft: number): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  if (depthLeft === 0) return Number.NaN
  const isArray = Array.isArray(value)
  const items: unknown[] = isArray ? value : Object.values(value)
  let count = isArray ? 0 : items.length
  for (const item of items) count += countMembers(item, depthLeft - 1)
  return count
}

function holdsBadText(value: unknown): boolean {
  if (typeof value === 'string') return BAD_CHARACTER.test(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsBadText)
  return Object.keys(value).some(holdsBadText) || Object.values(value).some(holdsBadText)
}

/** How many keys there are, and whether any has escapes. The text must be valid JSON. */
function countKeys(text: string): { count: number; areEscaped: boolean } {
  let count = 0
  let areEscaped = false
  let backslash = text.indexOf('\\')
  eachKey(text, (open, close) => {
    count++
    if (backslash !== -1 && backslash < open) backslash = text.indexOf('\\', open)
    areEscaped ||= backslash !== -1 && backslash < close
  })
  return { count, areEscaped }
}

/**
 * The value of a valid text whose keys have escapes. Node 24 may give such a key the name of another:
 * where it expects a backslash, because an earlier text had one there, it takes the first character of
 * `"\t"` for it. So JSON.parse gets the keys numbered, and their names are put back.
 */
function parseKeysApart(text: string, depthMax: number): unknown {
  const names: string[] = []
  let numbered = ''
  let copied = 0
  eachKey(text, (open, close) => {
    numbered += `${text.slice(copied, open)}"k${names.length}"`
    names.push(String(JSON.parse(text.slice(open, close + 1))))
    copied = close + 1
  })
  return rename(JSON.parse(numbered + text.slice(copied)), names, depthMax)
}

/** One level more than allowed is kept, so that the depth is still seen. */
function rename(value: unknown, names: readonly string[], depthLeft: number): unknown {
  if (typeof value !== 'object' || value === null || depthLeft < 0) return value
  if (Array.isArray(value)) return value.map((item) => rename(item, names, depthLeft - 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      return [names[Number(key.slice(1))], rename(item, names, depthLeft - 1)]
    }),
  )
}

/** Visits every string that is followed by a colon. */
function eachKey(text: string, visit: (open: number, close: number) => void): void {
  let open = text.indexOf('"')
  while (open !== -1) {
    const close = closingQuote(text, open)
    if (text.charCodeAt(skipSpace(text, close + 1)) === COLON) visit(open, close)
    // In compact JSON the next string mostly begins two characters on, which saves a search.
    open = text.charCodeAt(close + 2) === QUOTE ? close + 2 : text.indexOf('"', close + 1)
  }
}

function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1)
  while (text.charCodeAt(close - 1) === BACKSLASH && isEscaped(text, close)) {
    close = text.indexOf('"', close + 1)
  }
  return close
}

/** An odd number of backslashes before it. Each run is read once, so this stays linear. */
function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text.charCodeAt(start - 1) === BACKSLASH) start--
  return (at - start) % 2 === 1
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at++
  return at
}

/** An open array or object, and where in it the reader stands. */
type Frame = { keys: Set<string> | undefined; step: number | string }
type Reader = { text: string; depthMax: number; stack: Frame[] }
type Read = { end: number; defect: string | undefined }

/**
 * The first broken rule of a text that JSON.parse takes. Slower than counting, but linear too:
 * an explicit stack, and every character is looked at a fixed number of times.
 */
function describeDefect(text: string, depthMax: number): string {
  const reader: Reader = { text, depthMax, stack: [] }
  for (let at = 0; at < text.length; ) {
    const { end, defect } = readToken(reader, at)
    if (defect !== undefined) return defect
    at = end
  }
  // INVARIANT: both readings find the same bodies bad.
  throw new Error('a refused body has no defect')
}

function readToken(reader: Reader, at: number): Read {
  const { text, depthMax, stack } = reader
  const char = text.charAt(at)
  if (char === '"') return readString(reader, at)
  if (NUMBER_START.test(char)) return readNumber(reader, at)
  moveThrough(char, stack)
  if (stack.length <= depthMax) return { end: at + 1, defect: undefined }
  const path = pointer(stack.slice(0, -1))
  return { end: at, defect: `nested deeper than ${depthMax} levels at ${path}` }
}

function readString({ text, stack }: Reader, at: number): Read {
  const close = closingQuote(text, at)
  const quoted = text.slice(at, close + 1)
  const string = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
  const isKey = text.charCodeAt(skipSpace(text, close + 1)) === COLON
  const top = stack.at(-1)
  const defect = isKey && top ? enterMember(top, string) : badCharacter(string)
  if (defect === undefined) return { end: close + 1, defect }
  return { end: at, defect: `${defect} at ${pointer(isKey ? stack.slice(0, -1) : stack)}` }
}

const NUMBER_START = /[-0-9]/

function readNumber({ text, stack }: Reader, at: number): Read {
  const numberEnd = /[^-+.0-9eE]/g
  numberEnd.lastIndex = at
  const end = numberEnd.exec(text)?.index ?? text.length
  const isInRange = Number.isFinite(Number(text.slice(at, end)))
  return { end, defect: isInRange ? undefined : `number out of range at ${pointer(stack)}` }
}

/** Opens and closes frames. Colons, spaces and the letters of true, false and null change nothing. */
function moveThrough(char: string, stack: Frame[]): void {
  const top = stack.at(-1)
  if (char === '{') stack.push({ keys: new Set(), step: '' })
  else if (char === '[') stack.push({ keys: undefined, step: 0 })
  else if (char === '}' || char === ']') stack.pop()
  else if (char === ',' && typeof top?.step === 'number') top.step++
}

function enterMember(frame: Frame, key: string): string | undefined {
  const bad = badCharacter(key)
  if (bad !== undefined) return `${bad} in a key`
  if (frame.keys?.has(key)) return `duplicate key ${JSON.stringify(clip(key, SHOWN_KEY_MAX))}`
  frame.keys?.add(key)
  frame.step = key
  return undefined
}

function badCharacter(text: string): string | undefined {
  const found = BAD_CHARACTER.exec(text)
  if (found === null) return undefined
  return found[0] === '\0' ? 'NUL character' : 'lone surrogate'
}

/** The sender may choose any key, so what is echoed is kept short and free of control characters. */
const SHOWN_KEY_MAX = 64
const SHOWN_PATH_MAX = 128

/** A JSON Pointer (RFC 6901), but words for the root, whose pointer is empty. */
function pointer(stack: readonly Frame[]): string {
  if (stack.length === 0) return 'the root'
  let path = ''
  for (const { step } of stack) {
    const name = clip(String(step), SHOWN_KEY_MAX).replaceAll('~', '~0').replaceAll('/', '~1')
    path += `/${JSON.stringify(name).slice(1, -1)}`
  }
  return clip(path, SHOWN_PATH_MAX)
}

function clip(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  // Half of a surrogate pair at the cut would not survive UTF-8.
  return `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** V8 quotes a piece of the body for some errors; it may hold a secret, and reasons are logged. */
function describeSyntaxError(err: unknown): string {
  const message = err instanceof Error ? err.message : ''
  const token = /^Unexpected token '(.+?)', /su.exec(message)?.[1]
  if (token !== undefined) return `not valid JSON: unexpected ${JSON.stringify(token)}`
  // Newer versions add the line and column, which would make answers differ between nodes.
  const told = message.replace(/ \(line \d+ column \d+\)$/, '')
  return clip(`not valid JSON: ${told}`, SHOWN_PATH_MAX)
}
