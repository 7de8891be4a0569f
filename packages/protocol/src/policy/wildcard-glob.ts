/**
 * Patterns with `?`, compared by code points. A part with `?` can start to match at every character
 * and fail at its last one, so trying it position by position would cost its length each time.
 * Instead all positions are tracked in parallel, one bit each (the Shift-And algorithm): every
 * character of the name is read once and costs one operation per 32 characters of the part.
 */

const ANY = -1
const QUESTION_MARK = 0x3f
const STAR = 0x2a
const WORD_BITS = 32
/** A code point above this takes two code units. */
const UNIT_MAX = 0xffff

export type WildcardParts = {
  /** Up to the first star, and after the last one; a pattern without stars is all head. */
  head: readonly number[]
  tail: readonly number[] | undefined
  /** The parts between stars, which may be anywhere but in this order. */
  middles: readonly Middle[]
}

type Middle = {
  length: number
  /** The positions at which each character may occur. */
  masks: ReadonlyMap<number, Uint32Array>
  /** The positions at which any character may occur. */
  anyMask: Uint32Array
  /** No positions, for a character that does not match even there. */
  noMask: Uint32Array
}

/** In the text of another pattern `?` does not match `*`; in a name it matches any character. */
export type TextKind = 'name' | 'pattern'

/**
 * A budget that decreases while patterns are compared; below zero, comparison stops. The unit is
 * the time it takes to skip a pattern that cannot match.
 */
export type Effort = { left: number }

/** The cost of one character against 32 characters of a part. */
const LOOK = 8

export function createWildcardGlob(pattern: string) {
  const parts = wildcardParts(pattern)
  return {
    matches: (name: string) => wildcardFits(parts, pointsOf(name), 'name'),
    covers: (other: string) => wildcardFits(parts, pointsOf(other), 'pattern'),
  }
}

export function wildcardParts(pattern: string): WildcardParts {
  const [head = [], ...others] = pattern.split('*').map((part) => {
    return pointsOf(part).map((point) => (point === QUESTION_MARK ? ANY : point))
  })
  const tail = others.pop()
  return { head, tail, middles: others.filter(({ length }) => length > 0).map(toMiddle) }
}

function toMiddle(points: readonly number[]): Middle {
  const noMask = new Uint32Array(Math.ceil(points.length / WORD_BITS))
  const anyMask = noMask.slice()
  for (const [at, point] of points.entries()) if (point === ANY) setBit(anyMask, at)
  const masks = new Map<number, Uint32Array>()
  for (const [at, point] of points.entries()) {
    if (point === ANY) continue
    const mask = masks.get(point) ?? anyMask.slice()
    setBit(mask, at)
    masks.set(point, mask)
  }
  return { length: points.length, masks, anyMask, noMask }
}

function setBit(mask: Uint32Array, at: number): void {
  const word = Math.floor(at / WORD_BITS)
  mask[word] = (mask[word] ?? 0) | (1 << (at % WORD_BITS))
}

export function pointsOf(text: string): number[] {
  const points: number[] = []
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0
    points.push(point)
    at += point > UNIT_MAX ? 2 : 1
  }
  return points
}

/**
 * `text` is any list of code points, so that a test can pass one that counts accesses. Characters
 * examined between the two ends cost effort.
 */
export function wildcardFits(
  { head, tail, middles }: WildcardParts,
  text: ArrayLike<number>,
  kind: TextKind,
  effort?: Effort,
): boolean {
  const end = text.length - (tail?.length ?? 0)
  let at = head.length
  if (tail === undefined ? at !== end : at > end) return false
  if (!stands(head, { text, at: 0, kind })) return false
  if (tail !== undefined && !stands(tail, { text, at: end, kind })) return false
  for (const middle of middles) {
    const from = at
    at = endOfFirst(middle, { text, at, end, kind })
    if (effort !== undefined)
      effort.left -= LOOK * (Math.min(at, end) - from) * middle.noMask.length
    if (at > end) return false
  }
  return true
}

type Place = { text: ArrayLike<number>; at: number; kind: TextKind }

function stands(part: readonly number[], { text, at, kind }: Place): boolean {
  return part.every((point, i) => {
    const found = text[at + i]
    return point === ANY ? kind === 'name' || found !== STAR : point === found
  })
}

/** The end of the part's first match from `at` on; beyond `end` if there is none. */
function endOfFirst(
  { length, masks, anyMask, noMask }: Middle,
  { text, at, end, kind }: Place & { end: number },
): number {
  const last = Math.floor((length - 1) / WORD_BITS)
  const lastBit = 1 << ((length - 1) % WORD_BITS)
  const starMask = kind === 'name' ? anyMask : noMask
  // Bit i is set if the first i + 1 characters of the part end here.
  const state = noMask.slice()
  for (let i = at; i < end; i++) {
    const point = text[i] ?? 0
    const mask = masks.get(point) ?? (point === STAR ? starMask : anyMask)
    let carry = 1
    for (let word = 0; word <= last; word++) {
      const before = state[word] ?? 0
      state[word] = ((before << 1) | carry) & (mask[word] ?? 0)
      carry = before >>> (WORD_BITS - 1)
    }
    if (((state[last] ?? 0) & lastBit) !== 0) return i + 1
  }
  return end + 1
}
