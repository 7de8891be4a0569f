import { sha256 } from '#sha256'
import { canonicalJson } from '../base/canonical-json.ts'

/** Strings are hashed as UTF-8. */
export function sha256Bytes(input: Uint8Array | string): Uint8Array {
  return sha256.bytes(input)
}

/** Lower-case hex, without prefix. Strings are hashed as UTF-8. */
export function sha256Hex(input: Uint8Array | string): string {
  return sha256.hex(input)
}

/** H(v) of the specification: the SHA-256 of the canonical JSON of a value, in lower-case hex. */
export function hashCanonical(value: unknown): string {
  return sha256.hex(canonicalJson(value))
}
