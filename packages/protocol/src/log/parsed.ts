import { base64ToBytes } from '../base/encoding.ts'
import { HASH_BYTES } from '../merkle/merkle.ts'

/** The outcome of reading a text that others wrote. `reason` says what is wrong with it. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: string }

const DECIMAL = /^(?:0|[1-9][0-9]*)$/

/** A count in ASCII decimal without leading zeros; undefined if it is anything else. */
export function parseCount(text: string): number | undefined {
  const value = DECIMAL.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(value) ? value : undefined
}

/** A SHA-256 hash in base64; undefined if it is anything else. */
export function parseHash(text: string): Uint8Array | undefined {
  const bytes = base64ToBytes(text)
  return bytes?.length === HASH_BYTES ? bytes : undefined
}

/** Hashes in base64, one a line; undefined if any line is anything else. */
export function parseHashes(lines: readonly string[]): Uint8Array[] | undefined {
  const hashes = lines.map(parseHash)
  return hashes.every((hash) => hash !== undefined) ? hashes : undefined
}

const SPACE = 0x20

/** Whether a text has a control character of ASCII below the space that is not in `allowed`. */
export function hasControlCharacter(text: string, allowed: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) < SPACE && !allowed.includes(text.charAt(i))) return true
  }
  return false
}
