/**
 * Patterns with `?`, compared by code points. A part with `?` in it can begin to fit at every
 * character and fail at its last one, so trying it place by place would cost its length each
 * time. Instead all places are followed at once, a bit for each (the Shift-And method): every
 * character of the name is read once and costs one operation per 32 characters of the part.
 */

const ANY = -1
const QUESTION_MARK = 0x3f
const STAR = 0x2a
const WORD_BITS = 32

type Part = {
  points: readonly number[]
  /** For each character, the positions of the part where it may stand. */
  masks: ReadonlyMap<number, Uint32Array>
  /** The positions where any character may stand. */
  anyMask: Uint32Array
  /** No position, for a character that may not stand even there. */
  noMask: Uint32Array
}

/** In the text of another pattern, `?` stands for no `*`; in a name, for any character. */
type TextKind = 'name' | 'pattern'

export function createWildcardGlob(pattern: string) {
  const parts = wildcardParts(pattern)
  return {
    matches: (name: string) => wildcardFits(parts, pointsOf(name), 'name'),
    covers: (other: string) => wildcardFits(parts, pointsOf(other), 'pattern'),
  }
}

/** The parts between stars. */
export function wildcardParts(pattern: string): readonly Part[] {
  return pattern.split('*').map(toPart)
}

function toPart(text: string): Part {
  const points = pointsOf(text).map((point) => (point === QUESTION_MARK ? ANY : point))
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
  return { points, masks, anyMask, noMask }
}

function setBit(mask: Uint32Array, at: number): void {
  const word = Math.floor(at / WORD_BITS)
  mask[word] = (mask[word] ?? 0) | (1 << (at % WORD_BITS))
}

function pointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0)
}

/** `text` is any list of code points, so that a test can hand in one that keeps count. */
export function wildcardFits(
  parts: readonly Part[],
  text: ArrayLike<number>,
  kind: TextKind,
): boolean {
  const [head, ...others] = parts
  const tail = others.pop()
  if (head === undefined || !stands(head, { text, at: 0, kind })) return false
  if (tail === undefined) return text.length === head.points.length
  const end = text.length - tail.points.length
  let at = head.points.length
  if (at > end || !stands(tail, { text, at: end, kind })) return false
  for (const part of others) {
    at = endOfFirst(part, { text, at, kind })
    if (at > end) return false
  }
  return true
}

type Place = { text: ArrayLike<number>; at: number; kind: TextKind }

function stands({ points }: Part, { text, at, kind }: Place): boolean {
  if (at + points.length > text.length) return false
  return points.every((point, i) => {
    const found = text[at + i]
    return point === ANY ? kind === 'name' || found !== STAR : point === found
  })
}

/** Where the part ends at its first place from `at` on; beyond the text when it has none. */
function endOfFirst(part: Part, { text, at, kind }: Place): number {
  const { points, masks, anyMask, noMask } = part
  if (points.length === 0) return at
  const last = Math.floor((points.length - 1) / WORD_BITS)
  const lastBit = 1 << ((points.length - 1) % WORD_BITS)
  const other = (point: number) => (kind === 'pattern' && point === STAR ? noMask : anyMask)
  // Bit i says that the part's first i + 1 characters end here.
  const state = noMask.slice()
  for (let i = at; i < text.length; i++) {
    const point = text[i] ?? 0
    const mask = masks.get(point) ?? other(point)
    let carry = 1
    for (let word = 0; word <= last; word++) {
      const before = state[word] ?? 0
      state[word] = ((before << 1) | carry) & (mask[word] ?? 0)
      carry = before >>> (WORD_BITS - 1)
    }
    if (((state[last] ?? 0) & lastBit) !== 0) return i + 1
  }
  return text.length + 1
}
