import { pointsOf } from './wildcard-glob.ts'

/**
 * Many patterns as one tree, to be followed letter by letter. A pattern that several hold is one
 * path, and so is what patterns have in common at their beginning.
 */
export type TrieNode = {
  id: number
  /** Any letter leads back here, as a star does. */
  loops: boolean
  letters: Map<number, TrieNode>
  any: TrieNode | undefined
  /** Reached together with this one, without a letter. */
  star: TrieNode | undefined
  /** A bit for each group that has a pattern which ends here. */
  accepts: number
  /** The same for this node and all after it. */
  below: number
  /** Of all that end here or later, nothing tells the groups apart. */
  neutral: boolean
}

export type GroupedPattern = { pattern: string; group: number }

export type PatternTrie = { root: TrieNode; size: number; letters: ReadonlySet<number> }

/** `isNeutral` says of the groups of one pattern whether it makes no difference that matters. */
export function createPatternTrie(
  patterns: Iterable<GroupedPattern>,
  isNeutral: (groups: number) => boolean,
): PatternTrie {
  const letters = new Set<number>()
  let size = 0
  const create = (loops: boolean): TrieNode => ({
    ...{ id: size++, loops, letters: new Map(), any: undefined, star: undefined },
    ...{ accepts: 0, below: 0, neutral: true },
  })
  const root = create(false)
  const child = (node: TrieNode, token: number): TrieNode => {
    if (token === ANY) {
      node.any ??= create(false)
      return node.any
    }
    if (token === STAR) {
      node.star ??= create(true)
      return node.star
    }
    letters.add(token)
    const next = node.letters.get(token) ?? create(false)
    node.letters.set(token, next)
    return next
  }
  const ends: TrieNode[][] = []
  for (const { pattern, group } of patterns) {
    const path = [root]
    for (const token of tokensOf(pattern)) path.push(child(path.at(-1) ?? root, token))
    const end = path.at(-1) ?? root
    end.accepts |= group
    for (const node of path) node.below |= group
    ends.push(path)
  }
  // Only now is it known which groups share a pattern.
  for (const path of ends) {
    if (isNeutral(path.at(-1)?.accepts ?? 0)) continue
    for (const node of path) node.neutral = false
  }
  return { root, size, letters }
}

const ANY = -1
const STAR = -2
const QUESTION_MARK = 0x3f
const ASTERISK = 0x2a

/** `*` and `?` in a row are so many letters and then any number of them, in whatever order. */
function tokensOf(pattern: string): number[] {
  const tokens: number[] = []
  let starred = false
  for (const point of pointsOf(pattern)) {
    if (point === ASTERISK) {
      starred = true
    } else if (point === QUESTION_MARK) {
      tokens.push(ANY)
    } else {
      if (starred) tokens.push(STAR)
      starred = false
      tokens.push(point)
    }
  }
  if (starred) tokens.push(STAR)
  return tokens
}
