import { bytesToHex } from '../base/encoding.ts'

/** Earlier checkpoints of the agent that a new one is compared with. */
export const NOVELTY_HASHES = 500
/** Hashes that differ in at most this many bits count as alike. */
export const ALIKE_BITS_MAX = 3

/** Hashes per stored row, so that a new hash rewrites little. */
export const SLOT_HASHES = 100
/** One more than are compared, because one is being filled. */
export const SLOTS = NOVELTY_HASHES / SLOT_HASHES + 1
const CAPACITY = SLOT_HASHES * SLOTS
const HASH_BYTES = 8

/**
 * The SimHashes of an agent's last analysed checkpoints: a ring in which hash number i of the agent
 * has place i modulo the capacity, as two words, the high one first.
 */
export type RecentHashes = { total: number; ring: Int32Array }

export const NO_HASHES: RecentHashes = { total: 0, ring: new Int32Array(2 * CAPACITY) }

/** A part of the ring in the form in which it is stored: `first` is the number of its first hash. */
export type HashSlot = { slot: number; first: number; hashes: string }

export function countAlike(recent: RecentHashes, hash: bigint): number {
  const { high, low } = wordsOf(hash)
  const { total, ring } = recent
  let alike = 0
  for (let i = Math.max(0, total - NOVELTY_HASHES); i < total; i += 1) {
    const at = (i % CAPACITY) * 2
    const bits = bitsOf((ring[at] ?? 0) ^ high)
    if (bits <= ALIKE_BITS_MAX && bits + bitsOf((ring[at + 1] ?? 0) ^ low) <= ALIKE_BITS_MAX)
      alike += 1
  }
  return alike
}

export function withHash(recent: RecentHashes, hash: bigint): RecentHashes {
  const ring = recent.ring.slice()
  const at = (recent.total % CAPACITY) * 2
  const { high, low } = wordsOf(hash)
  ring[at] = high
  ring[at + 1] = low
  return { total: recent.total + 1, ring }
}

/** The slots that changed since there were `before` hashes. */
export function slotsSince(before: number, recent: RecentHashes): HashSlot[] {
  if (before >= recent.total) return []
  const slots: HashSlot[] = []
  const begin = Math.max(before, recent.total - NOVELTY_HASHES)
  for (let first = begin - (begin % SLOT_HASHES); first < recent.total; first += SLOT_HASHES) {
    const end = Math.min(recent.total, first + SLOT_HASHES)
    const hashes = hexOf(recent.ring, { first, count: end - first })
    slots.push({ slot: (first / SLOT_HASHES) % SLOTS, first, hashes })
  }
  return slots
}

/** The ring from its stored slots. */
export function fromSlots(slots: readonly { first: number; hashes: Uint8Array }[]): RecentHashes {
  const ring = new Int32Array(2 * CAPACITY)
  let total = 0
  for (const { first, hashes } of slots) {
    const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.byteLength)
    const place = (first % CAPACITY) * 2
    for (let at = 0; at < hashes.byteLength; at += 4) ring[place + at / 4] = view.getInt32(at)
    total = Math.max(total, first + hashes.byteLength / HASH_BYTES)
  }
  return { total, ring }
}

function wordsOf(hash: bigint): { high: number; low: number } {
  return {
    high: Number(BigInt.asIntN(32, hash >> 32n)),
    low: Number(BigInt.asIntN(32, hash)),
  }
}

function hexOf(ring: Int32Array, { first, count }: { first: number; count: number }): string {
  const bytes = new Uint8Array(count * HASH_BYTES)
  const view = new DataView(bytes.buffer)
  // A slot never crosses the end of the ring.
  const place = (first % CAPACITY) * 2
  for (let word = 0; word < count * 2; word += 1) {
    view.setInt32(word * 4, ring[place + word] ?? 0)
  }
  return bytesToHex(bytes)
}

/** The number of set bits. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
