/**
 * SHA-256 (FIPS 180-4) on typed arrays: small inputs hash faster than through node:crypto, and a
 * browser runs the same. Checked against node:crypto by tests.
 */
export const DIGEST_BYTES = 32
const BLOCK_BYTES = 64
const ROUNDS = 64

const CONSTANTS = fractionsOfPrimes(ROUNDS, 1 / 3)
const INITIAL = fractionsOfPrimes(8, 1 / 2)

/** The first 32 bits of the fractional parts of roots of the first primes. */
function fractionsOfPrimes(count: number, exponent: number): Int32Array {
  const words = new Int32Array(count)
  for (let found = 0, n = 2; found < count; n += 1) {
    if (!isPrime(n)) continue
    const root = n ** exponent
    words[found] = Math.floor((root - Math.floor(root)) * 2 ** 32) | 0
    found += 1
  }
  return words
}

function isPrime(n: number): boolean {
  for (let d = 2; d * d <= n; d += 1) if (n % d === 0) return false
  return true
}

/** Reused from call to call: hashing is synchronous, and most inputs are a block or two. */
const schedule = new Int32Array(ROUNDS)
const state = new Int32Array(INITIAL.length)
const tail = new Uint8Array(2 * BLOCK_BYTES)

export function sha256(input: Uint8Array): Uint8Array {
  state.set(INITIAL)
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

function expand(input: Uint8Array, at: number): void {
  for (let i = 0, j = at; i < 16; i += 1, j += 4) {
    schedule[i] =
      ((input[j] ?? 0) << 24) |
      ((input[j + 1] ?? 0) << 16) |
      ((input[j + 2] ?? 0) << 8) |
      (input[j + 3] ?? 0)
  }
  for (let i = 16; i < ROUNDS; i += 1) {
    const w15 = schedule[i - 15] ?? 0
    const w2 = schedule[i - 2] ?? 0
    const s0 = ((w15 >>> 7) | (w15 << 25)) ^ ((w15 >>> 18) | (w15 << 14)) ^ (w15 >>> 3)
    const s1 = ((w2 >>> 17) | (w2 << 15)) ^ ((w2 >>> 19) | (w2 << 13)) ^ (w2 >>> 10)
    schedule[i] = ((schedule[i - 16] ?? 0) + s0 + (schedule[i - 7] ?? 0) + s1) | 0
  }
}

function compress(input: Uint8Array, at: number): void {
  expand(input, at)
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  let e = state[4] ?? 0
  let f = state[5] ?? 0
  let g = state[6] ?? 0
  let h = state[7] ?? 0
  for (let i = 0; i < ROUNDS; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const choice = (e & f) ^ (~e & g)
    const t1 = (h + s1 + choice + (CONSTANTS[i] ?? 0) + (schedule[i] ?? 0)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + s0 + majority) | 0
  }
  grow(0, a)
  grow(1, b)
  grow(2, c)
  grow(3, d)
  grow(4, e)
  grow(5, f)
  grow(6, g)
  grow(7, h)
}

function grow(i: number, by: number): void {
  state[i] = (state[i] ?? 0) + by
}
