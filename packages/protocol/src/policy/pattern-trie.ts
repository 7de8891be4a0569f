import { pointsOf } from './wildcard-glob.ts'

/**
 * Many patterns as one trie, walked letter by letter. Equal patterns, and common prefixes of
 * patterns, share their path.
 */
export type TrieNode = {
  id: number
  /** Any letter leads back to this node, as for a star. */
  loops: boolean
  letters: Map<number, TrieNode>
  any: TrieNode | undefined
  /** Reached together with this node, without consuming a letter. */
  star: TrieNode | undefined
  /** A bit for each group with a pattern that ends here. */
  accepts: number
  /** The same for this node and all its descendants. */
  below: number
  /** All patterns that end here or below are neutral. */
  neutral: boolean
}

export type GroupedPattern = { pattern: string; group: number }

export type PatternTrie = { root: TrieNode; size: number; letters: ReadonlySet<number> }

/** `isNeutral`: whether a pattern held by exactly these groups makes no difference to the goals. */
export function createPatternTrie(
  patterns: Iterable<GroupedPattern>,
  isNeutral: (groups: number) => boolean,
): PatternTrie {
  const letters = new Set<number>()
  let size = 0
  const create = (loops: boolean): TrieNode => ({
    id: size++,
    loops,
    letters: new Map(),
    any: undefined,
    star: undefined,
    accepts: 0,
    below: 0,
    neutral: true,
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
  // Only after all insertions is it known which groups share a pattern.
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

/** Normalises a run of `*` and `?` to its question marks followed by one star. */
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
