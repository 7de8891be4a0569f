/**
 * Parses JSON from a stranger and rejects input that parsers interpret differently (duplicate keys)
 * or that cannot be stored and hashed (NUL, lone surrogates, numbers outside the range of a double).
 *
 * Depth and number of values are judged by a linear scan before JSON.parse builds anything: a
 * megabyte of brackets takes JSON.parse 300 ms and the scan two. Most texts are valid, so JSON.parse
 * gives the value and the other rules are checked by counting. Only an invalid text is read again,
 * to describe its defect.
 *
 * A key named `__proto__` becomes an ordinary own property, as with JSON.parse: no prototype
 * changes, and canonical JSON hashes the body as it was sent. This is safe as long as values are
 * copied with spread or Object.fromEntries, never with `target[key] = value` or Object.assign.
 */
export function parseStrictText(text: string, limits: JsonLimits = JSON_LIMITS): JsonResult {
  const outline = outlineOf(text, limits)
  if (outline.defect !== undefined) return { ok: false, reason: outline.defect }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (err) {
    return { ok: false, reason: describeSyntaxError(err) }
  }
  if (outline.areEscaped) value = parseEscapedKeys(text, limits.depthMax)
  const isSound = countMembers(value, limits.depthMax) === outline.keys
  const mayBeBad = limits.anyText !== true && BAD_ESCAPE.test(text)
  if (!isSound || (mayBeBad && containsBadText(value))) {
    return { ok: false, reason: describeDefect(text, limits.depthMax) }
  }
  const mayBeInexact = limits.exactIntegers === true && LONG_NUMBER.test(text)
  const inexact = mayBeInexact ? findDefect(text, limits) : undefined
  return inexact === undefined ? { ok: true, value } : { ok: false, reason: inexact }
}

export type JsonLimits = {
  /** Nesting of arrays and objects; the root counts as 1. */
  depthMax: number
  /** All values, nested ones included. One whose name has an escape sequence counts as ten. */
  valuesMax: number
  /** Accepts NUL and lone surrogates, for routes that check every text they store. */
  anyText?: boolean
  /**
   * Rejects integers that a double cannot hold: as doubles, two different ones may be the same, so
   * an approval of one would be an approval of the other.
   */
  exactIntegers?: boolean
}

export type JsonResult = { ok: true; value: unknown } | { ok: false; reason: string }

/** A value in an object takes about a microsecond to parse and to check, so these take 50 ms. */
export const JSON_LIMITS: JsonLimits = { depthMax: 32, valuesMax: 50_000 }

/** JSON excludes raw NUL and UTF-8 excludes raw surrogates, so only escapes can be bad. */
const BAD_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/
/** With the u flag a surrogate pair is one character, so only lone surrogates match. */
const BAD_CHARACTER = /[\0\p{Surrogate}]/u

/** An integer that a double cannot hold has 16 digits or an exponent. May match inside strings. */
const LONG_NUMBER = /\d{16}|\d[eE]/

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const SPACE = 0x20
const ZERO = 0x30
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Counts the members of all objects in the value. Returns NaN, which equals no count, if the value
 * breaks another rule.
 *
 * INVARIANT: JSON.parse keeps one member per name, so the value has as many members as the text
 * has keys if and only if no object has a duplicate key.
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

function containsBadText(value: unknown): boolean {
  if (typeof value === 'string') return BAD_CHARACTER.test(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(containsBadText)
  return Object.keys(value).some(containsBadText) || Object.values(value).some(containsBadText)
}

/** The facts about a text that are known before it is parsed. It need not be valid JSON. */
type Outline = { defect: string | undefined; keys: number; areEscaped: boolean }

type Tally = {
  depth: number
  values: number
  keys: number
  areEscaped: boolean
  /** The character before, spaces and the inside of strings left out. */
  last: number
  /** The first backslash that was not passed yet; -1 if there is none. */
  backslash: number
}

/** One pass that jumps over strings and builds nothing. */
function outlineOf(text: string, { depthMax, valuesMax }: JsonLimits): Outline {
  const tally = newTally(text)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= SPACE) continue
    if (code === QUOTE) {
      const close = closingQuote(text, at)
      // An open string is left for JSON.parse to report.
      if (close === -1) break
      if (text.charCodeAt(skipSpace(text, close + 1)) === COLON) countKey(tally, text, at, close)
      at = close
    } else countToken(tally, code)
    tally.last = code
    if (tally.depth > depthMax) return refused(describeDepth(text.slice(0, at + 1), depthMax))
    if (tally.values > valuesMax) return refused(`more than ${valuesMax} values`)
  }
  return { defect: undefined, keys: tally.keys, areEscaped: tally.areEscaped }
}

function newTally(text: string): Tally {
  const backslash = text.indexOf('\\')
  return { depth: 0, values: 1, keys: 0, areEscaped: false, last: 0, backslash }
}

function refused(defect: string): Outline {
  return { defect, keys: 0, areEscaped: false }
}

/** An array or object opens with one value, which is taken back if it closes at once. */
function countToken(tally: Tally, code: number): void {
  if (code === COMMA) tally.values++
  else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
    tally.values++
    tally.depth++
  } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
    if (tally.last === OPEN_ARRAY || tally.last === OPEN_OBJECT) tally.values--
    if (tally.depth > 0) tally.depth--
  }
}

const ESCAPED_KEY_VALUES = 10

function countKey(tally: Tally, text: string, open: number, close: number): void {
  tally.keys++
  if (tally.backslash !== -1 && tally.backslash < open) {
    tally.backslash = text.indexOf('\\', open)
  }
  if (tally.backslash === -1 || tally.backslash > close) return
  tally.areEscaped = true
  tally.values += ESCAPED_KEY_VALUES - 1
}

/** Reading more than this takes longer than the place is worth. */
const DESCRIBED_CHARS_MAX = 65_536

/** Names the place only if the text up to it can be read. */
function describeDepth(start: string, depthMax: number): string {
  if (start.length > DESCRIBED_CHARS_MAX) return `nested deeper than ${depthMax} levels`
  try {
    return describeDefect(start, depthMax)
  } catch (err) {
    if (err instanceof SyntaxError) return `nested deeper than ${depthMax} levels`
    throw err
  }
}

/**
 * Parses a valid text whose keys have escapes. Works around a bug of JSON.parse in Node 24, which
 * may give such a key the name of another: if an earlier text had a backslash at this place, the
 * first character of `"\t"` is taken for it. So keys are numbered before parsing and renamed after.
 */
function parseEscapedKeys(text: string, depthMax: number): unknown {
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

/** Keeps one level more than allowed, so that excessive depth is still detected. */
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
    // In compact JSON the next string often starts two characters later, which saves a search.
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

/** Whether an odd number of backslashes precedes. Linear, because each run is read once. */
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

/** An open array or object with the current key or index. */
type Frame = { keys: Set<string> | undefined; step: number | string }
type Reader = { text: string; depthMax: number; exactIntegers: boolean; stack: Frame[] }
type Read = { end: number; defect: string | undefined }

function describeDefect(text: string, depthMax: number): string {
  const defect = findDefect(text, { depthMax })
  if (defect !== undefined) return defect
  // INVARIANT: counting and scanning reject the same bodies.
  throw new Error('a rejected body has no defect')
}

/**
 * Describes the first defect of a text that JSON.parse accepts. Slower than counting but linear:
 * it uses an explicit stack and reads every character a fixed number of times.
 */
function findDefect(
  text: string,
  { depthMax, exactIntegers = false }: Pick<JsonLimits, 'depthMax' | 'exactIntegers'>,
): string | undefined {
  const reader: Reader = { text, depthMax, exactIntegers, stack: [] }
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const { end, defect } = readToken(reader, at)
    if (defect !== undefined) return defect
    at = skipSpace(text, end)
  }
  return undefined
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

function readNumber({ text, exactIntegers, stack }: Reader, at: number): Read {
  const numberEnd = /[^-+.0-9eE]/g
  numberEnd.lastIndex = at
  const end = numberEnd.exec(text)?.index ?? text.length
  const number = text.slice(at, end)
  if (!Number.isFinite(Number(number))) {
    return { end, defect: `number out of range at ${pointer(stack)}` }
  }
  if (!exactIntegers || isExactInteger(number)) return { end, defect: undefined }
  const shown = clip(number, SHOWN_KEY_MAX)
  return { end, defect: `${shown} at ${pointer(stack)} would be rounded; send it as text` }
}

/** Whether no other integer has the same double. Fractions count as exact. */
function isExactInteger(number: string): boolean {
  const value = Number(number)
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return true
  return decimalOf(number) === decimalOf(String(value))
}

/** The digits of a decimal number without outer zeros, and the power of ten that they count. */
function decimalOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${whole}${fraction}`.replace(/^(-?)0+/, '$1')
  const significant = trimZeros(digits)
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return `${significant}e${power}`
}

/** A loop, because the regular expression for trailing zeros takes quadratic time. */
function trimZeros(digits: string): string {
  let end = digits.length
  while (end > 1 && digits.charCodeAt(end - 1) === ZERO) end--
  return digits.slice(0, end)
}

/** Opens and closes frames; ignores colons, spaces and the letters of true, false and null. */
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

/** Limits on echoed keys and paths, which the sender chooses. */
const SHOWN_KEY_MAX = 64
const SHOWN_PATH_MAX = 128

/** A JSON Pointer (RFC 6901), or `the root` instead of the empty pointer. */
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
  // Removes a surrogate left alone by the cut, which UTF-8 cannot encode.
  return `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Removes the excerpt of the body that V8 quotes in some errors, which may contain a secret. */
function describeSyntaxError(err: unknown): string {
  const message = err instanceof Error ? err.message : ''
  const token = /^Unexpected token '(.+?)', /su.exec(message)?.[1]
  if (token !== undefined) return `not valid JSON: unexpected ${JSON.stringify(token)}`
  // Newer versions of Node add line and column; removed to give the same message on every version.
  const stable = message.replace(/ \(line \d+ column \d+\)$/, '')
  return clip(`not valid JSON: ${stable}`, SHOWN_PATH_MAX)
}
