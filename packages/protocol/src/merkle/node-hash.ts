import { SCHEDULE_WORDS, SHA256_INITIAL, sha256Block } from '../crypto/sha256-block.ts'

/**
 * SHA-256 (FIPS 180-4) specialised for the one message that a Merkle tree hashes a million times:
 * the byte 0x01 and two hashes, 65 bytes. Native SHA-256 is faster, but the call costs more than
 * this whole computation, and here words need no conversion between nodes.
 */

/** Two hashes of eight big-endian words: left, then right. */
export const PAIR_WORDS = 16

const MESSAGE_BITS = 65 * 8

/** Scratch space: overwritten by each call, never exposed. */
const schedule = new Int32Array(SCHEDULE_WORDS)
const state = new Int32Array(8)

/**
 * Replaces the right half of the pair with the hash of both, ready to be the next right sibling.
 */
export function hashPair(pair: Int32Array): void {
  state.set(SHA256_INITIAL)
  // The prefix byte shifts every word of the pair by one byte.
  let previous = 0x01
  for (let i = 0; i < PAIR_WORDS; i++) {
    const word = pair[i] ?? 0
    schedule[i] = (previous << 24) | (word >>> 8)
    previous = word
  }
  sha256Block(state, schedule)
  // The second block: the last byte, the end marker, zeros, and the length in bits.
  schedule.fill(0, 0, 16)
  schedule[0] = (previous << 24) | 0x00800000
  schedule[15] = MESSAGE_BITS
  sha256Block(state, schedule)
  pair.set(state, PAIR_WORDS / 2)
}
