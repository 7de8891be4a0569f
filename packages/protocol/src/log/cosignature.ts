import { concatBytes } from '../base/encoding.ts'
import type { LogHead } from './checkpoint-body.ts'

/**
 * Cosignatures of witnesses (c2sp.org/tlog-cosignature): a statement that at a time this was the
 * largest consistent tree that the witness had seen.
 */

const TIME_BYTES = 8
const NAME_BYTES_MAX = 255

const utf8 = new TextEncoder()

/** The text that a witness signs with Ed25519. `time` is in seconds since 1970. */
export function cosignedMessage(body: string, time: number): string {
  return `cosignature/v1\ntime ${time}\n${body}`
}

/** The bytes that a witness signs with ML-DSA-44; undefined if a name is too long for them. */
export function cosignedTree(
  head: LogHead,
  { name, time }: { name: string; time: number },
): Uint8Array | undefined {
  const [cosigner, origin] = [utf8.encode(name), utf8.encode(head.origin)]
  if (Math.max(cosigner.length, origin.length) > NAME_BYTES_MAX) return undefined
  return concatBytes(
    utf8.encode('subtree/v1\n\0'),
    Uint8Array.of(cosigner.length),
    cosigner,
    uint64(time),
    Uint8Array.of(origin.length),
    origin,
    uint64(0),
    uint64(head.size),
    head.root,
  )
}

/** The signature of a note: the time, then the signature of the statement. */
export function writeCosignature({
  time,
  signature,
}: {
  time: number
  signature: Uint8Array
}): Uint8Array {
  return concatBytes(uint64(time), signature)
}

/** Undefined unless the time is one that a number can hold. */
export function readCosignature(
  bytes: Uint8Array,
): { time: number; signature: Uint8Array } | undefined {
  if (bytes.length < TIME_BYTES) return undefined
  const time = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0)
  if (time > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  return { time: Number(time), signature: bytes.subarray(TIME_BYTES) }
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(TIME_BYTES)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}
