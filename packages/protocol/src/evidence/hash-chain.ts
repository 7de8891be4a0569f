import { hexToBytes, isHashHex } from '../base/encoding.ts'
import { sha256Hex } from '../crypto/hash.ts'

/**
 * The hash chain over an agent's records: each link commits to its record, its position and,
 * through the previous link, to everything before it. So nothing can be changed, omitted, inserted
 * or moved without changing every later hash.
 */

/** Identifies the layout, so that a later version cannot be mistaken for it: "TSC1" in ASCII. */
const MAGIC = Uint8Array.of(0x54, 0x53, 0x43, 0x31)
const PREVIOUS_AT = 4
const POSITION_AT = 36
const RECORD_AT = 44
const LINK_BYTES = 76

/** The fields that a link's hash covers; hashes are lower-case hex. */
export type ChainInput = {
  /** The chain hash at the previous position; null only at position 0. */
  previous: string | null
  position: number
  recordHash: string
}

export type ChainLink = ChainInput & { chainHash: string }

/** The last verified link; null before the first link. */
export type ChainHead = { position: number; chainHash: string } | null

export type ChainWalk =
  | { valid: true; head: ChainHead }
  | { valid: false; position: number; reason: ChainFault; head: ChainHead }

/**
 * gap: the position is not the next one. previous: does not match the hash before. hash: does not
 * match its parts.
 */
export type ChainFault = 'gap' | 'previous' | 'hash'

/** Throws a TypeError for parts that cannot form a link; see isChainInput. */
export function chainHash(input: ChainInput): string {
  if (!isChainInput(input))
    throw new TypeError('invalid chain link: check previous, position and recordHash')
  const bytes = new Uint8Array(LINK_BYTES)
  bytes.set(MAGIC)
  if (input.previous !== null) bytes.set(hexToBytes(input.previous), PREVIOUS_AT)
  new DataView(bytes.buffer).setBigUint64(POSITION_AT, BigInt(input.position))
  bytes.set(hexToBytes(input.recordHash), RECORD_AT)
  return sha256Hex(bytes)
}

/** Zeros encode "no previous" in the bytes, so null is required at position 0 and only there. */
export function isChainInput({ previous, position, recordHash }: ChainInput): boolean {
  return (
    Number.isSafeInteger(position) &&
    position >= 0 &&
    (previous === null) === (position === 0) &&
    (previous === null || isHashHex(previous)) &&
    isHashHex(recordHash)
  )
}

/**
 * Verifies links in order, continuing from an earlier walk. Stops at the first fault; the head is
 * then the last correct link. Record hashes are taken as given: the caller recomputes them from the
 * records first.
 */
export function walkChain(links: Iterable<ChainLink>, from: ChainHead = null): ChainWalk {
  let head = from
  for (const link of links) {
    const reason = faultOf(link, head)
    if (reason !== undefined) return { valid: false, position: link.position, reason, head }
    head = { position: link.position, chainHash: link.chainHash }
  }
  return { valid: true, head }
}

function faultOf(link: ChainLink, head: ChainHead): ChainFault | undefined {
  if (link.position !== (head === null ? 0 : head.position + 1)) return 'gap'
  if (link.previous !== (head === null ? null : head.chainHash)) return 'previous'
  if (!isChainInput(link) || chainHash(link) !== link.chainHash) return 'hash'
  return undefined
}
