/**
 * Text encodings of bytes. Decoding is strict: of all texts that could encode the same bytes, only
 * the one we write is accepted, so that no signed or hashed value has a second spelling.
 */

const HEX_FORM = /^(?:[0-9a-f]{2})*$/
const HASH_FORM = /^[0-9a-f]{64}$/
const BASE64_FORM = /^[A-Za-z0-9+/]*={0,2}$/
const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function bytesToHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX_OF_BYTE[byte]
  return text
}

/** Of big-endian words, as SHA-256 computes with them. */
export function wordsToHex(words: Int32Array): string {
  let text = ''
  for (const word of words) {
    text += HEX_OF_BYTE[word >>> 24]
    text += HEX_OF_BYTE[(word >>> 16) & 0xff]
    text += HEX_OF_BYTE[(word >>> 8) & 0xff]
    text += HEX_OF_BYTE[word & 0xff]
  }
  return text
}

/** Throws a TypeError unless the text is lower-case hex with an even number of digits. */
export function hexToBytes(text: string): Uint8Array {
  if (!HEX_FORM.test(text)) throw new TypeError('not lower-case hex')
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = 16 * digitAt(text, 2 * i) + digitAt(text, 2 * i + 1)
  }
  return bytes
}

/** The text is known to contain only the hex digits 0-9 and a-f. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < 58 ? code - 48 : code - 87
}

/** Whether a text is a hash in our format: 32 bytes in lower-case hex, without a prefix. */
export function isHashHex(text: string): boolean {
  return HASH_FORM.test(text)
}

export function bytesToBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Undefined unless the text is exactly what bytesToBase64 writes for some bytes. */
export function base64ToBytes(text: string): Uint8Array | undefined {
  // atob ignores spaces and unused bits, so the result is valid only if it encodes to the same
  // text.
  if (!BASE64_FORM.test(text) || text.length % 4 !== 0) return undefined
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return bytesToBase64(bytes) === text ? bytes : undefined
}

/** Without padding, as in a JWK (RFC 7515 §2). */
export function bytesToBase64Url(bytes: Uint8Array): string {
  return bytesToBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Not constant-time: for public values only. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
