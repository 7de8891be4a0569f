import { sha256Heads } from '#sha256-heads'
import type { Words } from './words.ts'

/** SimHash (spec: provenance §4): similar texts get hashes that differ in few bits. */

const SHINGLE_WORDS = 3

/** Shingles hashed in one step. */
const STEP_SHINGLES = 4096

/** Undefined for a text of fewer than three words. */
export function simHash(words: Words): bigint | undefined {
  const steps = simHashSteps(words)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The same in steps of about a millisecond, between which other work can run. */
export function* simHashSteps(words: Words): Generator<undefined, bigint | undefined> {
  const count = words.count - SHINGLE_WORDS + 1
  if (count < 1) return undefined
  // The words are joined by spaces, so a shingle is a slice that ends with a later word.
  const { bytes, starts } = words
  const shingles = { bytes, starts, ends: words.ends.subarray(SHINGLE_WORDS - 1) }
  const heads = new BigUint64Array(count)
  for (let from = 0; from < count; from += STEP_SHINGLES) {
    if (from > 0) yield
    sha256Heads.hash(shingles, { from, to: Math.min(count, from + STEP_SHINGLES) }, heads)
  }
  return majority(withoutRepeats(heads))
}

/** Comparisons per hash before they are sorted instead: a sender can choose hashes that clash. */
const PROBES_MAX = 8

/** The distinct hashes as pairs of words, the low one first. Reuses the memory of the given ones. */
function withoutRepeats(heads: BigUint64Array): Int32Array {
  // All platforms with a JavaScript engine store the low word first.
  const halves = new Int32Array(heads.buffer)
  const slots = new Int32Array(1 << (33 - Math.clz32(heads.length)))
  const mask = slots.length - 1
  let probesLeft = heads.length * PROBES_MAX
  let kept = 0
  for (let at = 0; at < halves.length; at += 2) {
    const low = halves[at] ?? 0
    const high = halves[at + 1] ?? 0
    let slot = low & mask
    let end = slots[slot] ?? 0
    while (end > 0 && (halves[end - 2] !== low || halves[end - 1] !== high)) {
      slot = (slot + 1) & mask
      end = slots[slot] ?? 0
      probesLeft -= 1
    }
    if (end > 0) continue
    halves[kept] = low
    halves[kept + 1] = high
    kept += 2
    slots[slot] = kept
    // The hashes between the kept ones and the next one are repeats.
    if (probesLeft < 0) return sortedWithoutRepeats(heads)
  }
  return halves.subarray(0, kept)
}

function sortedWithoutRepeats(heads: BigUint64Array): Int32Array {
  const distinct = heads.sort().filter((head, i) => i === 0 || head !== heads[i - 1])
  return new Int32Array(distinct.buffer)
}

/** Bit i is set if it is set in more than half of the hashes. */
function majority(halves: Int32Array): bigint {
  const counts = new Int32Array(2 * WORD_BITS)
  for (let from = 0; from < halves.length; from += 2 * BYTE_MAX) {
    const to = Math.min(halves.length, from + 2 * BYTE_MAX)
    countBits(halves.subarray(from, to), 0, counts.subarray(0, WORD_BITS))
    countBits(halves.subarray(from, to), 1, counts.subarray(WORD_BITS))
  }
  let hash = 0n
  for (let bit = counts.length - 1; bit >= 0; bit -= 1) {
    hash = (hash << 1n) | ((counts[bit] ?? 0) * 4 > halves.length ? 1n : 0n)
  }
  return hash
}

const WORD_BITS = 32
/** A counter of one byte overflows after this many. */
const BYTE_MAX = 255
/** The lowest bit of each byte. */
const LOWEST = 0x01010101

/**
 * Adds the bits of every other word, from `offset` on, to the counts. Each of eight variables has
 * four counters of one byte, so that all 32 bits take eight additions.
 */
function countBits(words: Int32Array, offset: number, counts: Int32Array): void {
  let [c0, c1, c2, c3] = [0, 0, 0, 0]
  let [c4, c5, c6, c7] = [0, 0, 0, 0]
  for (let at = offset; at < words.length; at += 2) {
    const word = words[at] ?? 0
    c0 = (c0 + (word & LOWEST)) | 0
    c1 = (c1 + ((word >>> 1) & LOWEST)) | 0
    c2 = (c2 + ((word >>> 2) & LOWEST)) | 0
    c3 = (c3 + ((word >>> 3) & LOWEST)) | 0
    c4 = (c4 + ((word >>> 4) & LOWEST)) | 0
    c5 = (c5 + ((word >>> 5) & LOWEST)) | 0
    c6 = (c6 + ((word >>> 6) & LOWEST)) | 0
    c7 = (c7 + ((word >>> 7) & LOWEST)) | 0
  }
  for (const [shift, counters] of [c0, c1, c2, c3, c4, c5, c6, c7].entries()) {
    for (let byte = 0; byte < 4; byte += 1) {
      const bit = byte * 8 + shift
      counts[bit] = (counts[bit] ?? 0) + ((counters >>> (byte * 8)) & 0xff)
    }
  }
}

/** The number of bits in which two hashes differ. */
export function hammingDistance(one: bigint, other: bigint): number {
  let distance = 0
  for (let rest = one ^ other; rest !== 0n; rest &= rest - 1n) distance += 1
  return distance
}
