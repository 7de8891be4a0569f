import { SCHEDULE_WORDS, SHA256_INITIAL, sha256Block } from '@touchstone/protocol/crypto'

/**
 * SHA-256 (FIPS 180-4) on typed arrays. Faster than node:crypto for small inputs, and runs
 * unchanged in browsers. Tests compare it with node:crypto.
 */
export const DIGEST_BYTES = 32
const BLOCK_BYTES = 64

/** Buffers reused across calls: hashing is synchronous, and most inputs are one or two blocks. */
const schedule = new Int32Array(SCHEDULE_WORDS)
const state = new Int32Array(SHA256_INITIAL.length)
const tail = new Uint8Array(2 * BLOCK_BYTES)

export function sha256(input: Uint8Array): Uint8Array {
  state.set(SHA256_INITIAL)
  const rest = input.length % BLOCK_BYTES
  const whole = input.length - rest
  for (let at = 0; at < whole; at += BLOCK_BYTES) compress(input, at)
  const length = rest + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES
  for (let i = 0; i < rest; i += 1) tail[i] = input[whole + i] ?? 0
  tail[rest] = 0x80
  tail.fill(0, rest + 1, length)
  writeWord(tail, length - 8, Math.floor(input.length / 2 ** 29))
  writeWord(tail, length - 4, input.length << 3)
  for (let at = 0; at < length; at += BLOCK_BYTES) compress(tail, at)
  const digest = new Uint8Array(DIGEST_BYTES)
  for (let i = 0; i < state.length; i += 1) writeWord(digest, 4 * i, state[i] ?? 0)
  return digest
}

function writeWord(into: Uint8Array, at: number, word: number): void {
  into[at] = word >>> 24
  into[at + 1] = word >>> 16
  into[at + 2] = word >>> 8
  into[at + 3] = word
}

function compress(input: Uint8Array, at: number): void {
  for (let i = 0, j = at; i < 16; i += 1, j += 4) {
    schedule[i] =
      ((input[j] ?? 0) << 24) |
      ((input[j + 1] ?? 0) << 16) |
      ((input[j + 2] ?? 0) << 8) |
      (input[j + 3] ?? 0)
  }
  sha256Block(state, schedule)
}
