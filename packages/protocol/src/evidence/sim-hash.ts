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
  const [low, high] = [majorityOf(halves, 0), majorityOf(halves, 1)]
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
}

/** Words added to the counts at once. */
const GROUP_WORDS = 8

/**
 * The majority of every other word, from `offset` on. All 32 bits are counted at the same time: plane
 * k holds bit k of each count, so that additions are operations on whole words.
 */
function majorityOf(halves: Int32Array, offset: number): number {
  const count = halves.length / 2
  const planes = new Int32Array(33 - Math.clz32(count))
  const grouped = count - (count % GROUP_WORDS)
  addGroups(halves, { from: offset, to: grouped * 2 }, planes)
  for (let at = grouped * 2 + offset; at < halves.length; at += 2) {
    addTo(planes, 0, halves[at] ?? 0)
  }
  return moreThan(planes, count >> 1)
}

/** Adds eight words with seven full adders, which reach plane 3 only once. */
function addGroups(
  words: Int32Array,
  { from, to }: { from: number; to: number },
  planes: Int32Array,
): void {
  let [ones, twos, fours] = [0, 0, 0]
  for (let at = from; at < to; at += 2 * GROUP_WORDS) {
    // Two words and a plane of equal weight: `either` is their sum without the second word.
    let word = words[at + 2] ?? 0
    let either = ones ^ (words[at] ?? 0)
    const twosA = (ones & (words[at] ?? 0)) | (either & word)
    ones = either ^ word
    word = words[at + 6] ?? 0
    either = ones ^ (words[at + 4] ?? 0)
    const twosB = (ones & (words[at + 4] ?? 0)) | (either & word)
    ones = either ^ word
    word = words[at + 10] ?? 0
    either = ones ^ (words[at + 8] ?? 0)
    const twosC = (ones & (words[at + 8] ?? 0)) | (either & word)
    ones = either ^ word
    word = words[at + 14] ?? 0
    either = ones ^ (words[at + 12] ?? 0)
    const twosD = (ones & (words[at + 12] ?? 0)) | (either & word)
    ones = either ^ word
    either = twos ^ twosA
    const foursA = (twos & twosA) | (either & twosB)
    twos = either ^ twosB
    either = twos ^ twosC
    const foursB = (twos & twosC) | (either & twosD)
    twos = either ^ twosD
    either = fours ^ foursA
    const eights = (fours & foursA) | (either & foursB)
    fours = either ^ foursB
    addTo(planes, 3, eights)
  }
  addTo(planes, 0, ones)
  addTo(planes, 1, twos)
  addTo(planes, 2, fours)
}

function addTo(planes: Int32Array, first: number, word: number): void {
  let carry = word
  for (let plane = first; carry !== 0; plane += 1) {
    const bits = planes[plane] ?? 0
    planes[plane] = bits ^ carry
    carry &= bits
  }
}

/** The bits whose count exceeds the limit. */
function moreThan(planes: Int32Array, limit: number): number {
  let more = 0
  let equal = -1
  for (let plane = planes.length - 1; plane >= 0; plane -= 1) {
    const bits = planes[plane] ?? 0
    const limitBits = -((limit >>> plane) & 1)
    more |= equal & bits & ~limitBits
    equal &= ~(bits ^ limitBits)
  }
  return more
}

/** The number of bits in which two hashes differ. */
export function hammingDistance(one: bigint, other: bigint): number {
  let distance = 0
  for (let rest = one ^ other; rest !== 0n; rest &= rest - 1n) distance += 1
  return distance
}
