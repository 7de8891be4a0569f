import { SIGNATURE_BYTES } from '../crypto/ed25519.ts'

/**
 * Cosignatures of witnesses with Ed25519 (c2sp.org/tlog-cosignature, version 1): a statement that at
 * a time this was the largest consistent tree that the witness had seen.
 */

const TIME_BYTES = 8

/** The text that a witness signs. `time` is in seconds since 1970. */
export function cosignedMessage(body: string, time: number): string {
  return `cosignature/v1\ntime ${time}\n${body}`
}

/** The signature of a note: the time, then the Ed25519 signature over `cosignedMessage`. */
export function writeCosignature({
  time,
  signature,
}: {
  time: number
  signature: Uint8Array
}): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES + signature.length)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time))
  bytes.set(signature, TIME_BYTES)
  return bytes
}

/** Undefined unless it has the length of a cosignature and a time that a number can hold. */
export function readCosignature(
  bytes: Uint8Array,
): { time: number; signature: Uint8Array } | undefined {
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined
  const time = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)
  if (time > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  return { time: Number(time), signature: bytes.subarray(TIME_BYTES) }
}
