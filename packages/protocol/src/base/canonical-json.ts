/**
 * Canonical JSON (RFC 8785, JCS): one text per value, so that anyone can recompute its hash in any
 * language. Values without a JSON form are rejected rather than guessed at, because two parties
 * would guess differently and each would call the other's hash wrong.
 */

/** Deeper values are almost certainly circular; a clear error is better than a stack overflow. */
const DEPTH_MAX = 1000

/** Printable ASCII except the quote and the backslash: nearly every key, and most short values. */
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/

/** With the u flag a surrogate pair is one character, so only lone halves match. */
export const LONE_SURROGATE = /\p{Surrogate}/u

/** Throws a TypeError for anything that has no JSON form. Keys holding undefined are dropped. */
export function canonicalJson(value: unknown): string {
  if (!isOrdered(value, 1)) return write(value, 1)
  const text = JSON.stringify(value)
  // Possibly a lone surrogate, which JSON.stringify escapes but `write` rejects.
  return text.includes('\\ud') ? write(value, 1) : text
}

/**
 * Whether JSON.stringify already gives the canonical text: all keys are in order, and every value
 * has a JSON form. Frequently hashed objects are built in that order, because one native call takes
 * half the time of writing the text piece by piece.
 */
function isOrdered(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      if (value === null) return true
      if (depth > DEPTH_MAX) return false
      return Array.isArray(value) ? areOrdered(value, depth) : hasOrderedKeys(value, depth)
    default:
      return false
  }
}

function areOrdered(items: readonly unknown[], depth: number): boolean {
  for (let i = 0; i < items.length; i++) if (!isOrdered(items[i], depth + 1)) return false
  return true
}

function hasOrderedKeys(value: object, depth: number): boolean {
  if (!isPlain(value)) return false
  let last: string | undefined
  for (const key of Object.keys(value)) {
    if (last !== undefined && key < last) return false
    last = key
    const member = value[key]
    if (member !== undefined && !isOrdered(member, depth + 1)) return false
  }
  return true
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`canonical JSON: ${value} has no JSON form`)
      // RFC 8785 §3.2.2.3 prescribes ECMAScript's number-to-string conversion.
      return String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (depth > DEPTH_MAX) throw new TypeError('canonical JSON: circular or nested too deeply')
      return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth)
    default:
      throw new TypeError(`canonical JSON: a ${typeof value} has no JSON form`)
  }
}

function writeString(text: string): string {
  if (NEEDS_NO_ESCAPE.test(text)) return `"${text}"`
  const quoted = JSON.stringify(text)
  // JSON.stringify escapes lone surrogates as \ud8xx, so ordinary text skips the second test.
  if (quoted.includes('\\ud') && LONE_SURROGATE.test(text)) {
    throw new TypeError('canonical JSON: lone surrogates have no JSON form')
  }
  return quoted
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = '['
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ','
    text += write(items[i], depth + 1)
  }
  return `${text}]`
}

function writeObject(value: object, depth: number): string {
  if (!isPlain(value)) throw new TypeError('canonical JSON: only plain objects have a JSON form')
  let text = '{'
  // Without a comparator, sort orders by UTF-16 code units, as RFC 8785 §3.2.3 requires.
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member === undefined) continue
    if (text.length > 1) text += ','
    text += `${writeString(key)}:${write(member, depth + 1)}`
  }
  return `${text}}`
}

/** Rejects a Date or a Map, which would otherwise become an empty object. Works across realms. */
function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
