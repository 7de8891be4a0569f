import { createGlob, type Glob } from './glob.ts'
import { createLiteralTree, type LiteralTree, nextAtEnd, nextAtStart } from './literal-tree.ts'
import {
  type Effort,
  pointsOf,
  type TextKind,
  wildcardFits,
  wildcardParts,
} from './wildcard-glob.ts'

/**
 * An index over many patterns. Most patterns start and end with literal text, so patterns are
 * stored in a tree by prefix and, at each of its nodes, in a second tree by suffix. Of the patterns
 * that fit at both ends, those with a letter that the text lacks, or with more letters than it has,
 * are skipped; only the rest is matched in full.
 */

export type PatternIndex = {
  /** The ids of the patterns that match the name, ascending. */
  matching(name: string): readonly number[]
  /**
   * The ids of the patterns that cover the pattern, ascending. Incomplete once the effort is used
   * up, which the caller must check.
   */
  covering(pattern: string, effort?: Effort): readonly number[]
}

type Indexed = { pattern: string; id: number }

type Candidate = { id: number; fits(question: Question): boolean }

/**
 * Patterns that end with the same literal text. The data for skipping is kept in flat arrays:
 * reading it from thousands of objects takes ten times as long.
 */
type Candidates = {
  all: readonly Candidate[]
  /** A bit set of literal letters for each pattern. */
  letters: readonly number[]
  /** The minimum number of code units for each pattern. */
  lengths: readonly number[]
}

/** The patterns that start with the same literal text. */
type Family = {
  exact: readonly number[]
  /** Patterns that continue with a single star and nothing else. */
  prefixes: readonly number[]
  others: LiteralTree<Candidates> | undefined
}

type Question = {
  text: string
  kind: TextKind
  effort: Effort
  found: number[]
  /** These two are computed lazily and shared by all patterns. */
  letters: number | undefined
  points: readonly number[] | undefined
}

/** The cost of comparing a pattern in full, relative to skipping one, which costs 1. */
const COMPARISON = 48

const NONE: readonly number[] = []

/** Several patterns may share an id, which is then found once for each that fits. */
export function createPatternIndex(patterns: readonly Indexed[]): PatternIndex {
  const families = new Map<string, Indexed[]>()
  for (const { pattern, id } of patterns) {
    // Consecutive stars are equivalent to one.
    const plain = pattern.replace(/\*+/g, '*')
    const head = /^[^*?]*/.exec(plain)?.[0] ?? ''
    const family = families.get(head)
    if (family === undefined) families.set(head, [{ pattern: plain, id }])
    else family.push({ pattern: plain, id })
  }
  const tree = createLiteralTree(
    [...families].map(([literal, members]) => ({ literal, value: toFamily(literal, members) })),
    'start',
  )
  const ask = (text: string, kind: TextKind, effort: Effort): readonly number[] => {
    const found: number[] = []
    if (effort.left < 0) return NONE
    walk(tree, { text, kind, effort, found, letters: undefined, points: undefined })
    if (found.length === 0) return NONE
    return found.length === 1 ? found : found.sort(ascending)
  }
  return {
    matching: (name) => ask(name, 'name', UNLIMITED),
    covering: (pattern, effort = UNLIMITED) => ask(pattern, 'pattern', effort),
  }
}

/** Infinite, so it is never used up. */
const UNLIMITED: Effort = { left: Number.POSITIVE_INFINITY }

function toFamily(head: string, members: readonly Indexed[]): Family {
  const idsOf = (pattern: string) => {
    const ids = members.filter((member) => member.pattern === pattern).map(({ id }) => id)
    return ids.length === 0 ? NONE : ids
  }
  const others = new Map<string, Indexed[]>()
  for (const member of members) {
    const { pattern } = member
    if (pattern === head || pattern === `${head}*`) continue
    const tail = tailOf(pattern)
    const alike = others.get(tail)
    if (alike === undefined) others.set(tail, [member])
    else alike.push(member)
  }
  const entries = [...others].map(([literal, alike]) => ({ literal, value: toCandidates(alike) }))
  return {
    exact: idsOf(head),
    prefixes: idsOf(`${head}*`),
    others: entries.length === 0 ? undefined : createLiteralTree(entries, 'end'),
  }
}

function tailOf(pattern: string): string {
  return pattern.slice(Math.max(pattern.lastIndexOf('*'), pattern.lastIndexOf('?')) + 1)
}

function toCandidates(members: readonly Indexed[]): Candidates {
  const plain = members.map(({ pattern }) => pattern.replaceAll('*', ''))
  return {
    all: members.map(toCandidate),
    letters: plain.map((text) => lettersOf(text.replaceAll('?', ''))),
    lengths: plain.map((text) => text.length),
  }
}

function toCandidate({ pattern, id }: Indexed): Candidate {
  if (pattern.includes('?')) {
    const parts = wildcardParts(pattern)
    return { id, fits: (question) => wildcardFits(parts, ...pointsFor(question)) }
  }
  const glob: Glob = createGlob(pattern)
  // Without `?`, matching and covering are the same comparison.
  return { id, fits: ({ text }) => glob.matches(text) }
}

function pointsFor(question: Question) {
  question.points ??= pointsOf(question.text)
  return [question.points, question.kind, question.effort] as const
}

/** A bit set in which letters share bits, so only a missing bit is conclusive. */
function lettersOf(text: string): number {
  let letters = 0
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) % 32)
  return letters
}

function walk(tree: LiteralTree<Family>, question: Question): void {
  const { text, found } = question
  let node = tree
  let at = 0
  for (;;) {
    for (const { exact, prefixes, others } of node.values) {
      if (prefixes.length > 0) found.push(...prefixes)
      if (at === text.length) found.push(...exact)
      question.effort.left -= prefixes.length + exact.length
      if (others !== undefined) walkBack(others, question)
    }
    const branch = nextAtStart(node, text, at)
    if (branch === undefined) return
    at += branch.text.length
    node = branch.node
  }
}

function walkBack(tree: LiteralTree<Candidates>, question: Question): void {
  const { text, effort } = question
  let node = tree
  let end = text.length
  for (;;) {
    for (const candidates of node.values) {
      compare(candidates, question)
      if (effort.left < 0) return
    }
    const branch = nextAtEnd(node, text, end)
    if (branch === undefined) return
    end -= branch.text.length
    node = branch.node
  }
}

function compare({ all, letters, lengths }: Candidates, question: Question): void {
  const { text, found, effort } = question
  question.letters ??= lettersOf(text)
  const missing = ~question.letters
  effort.left -= all.length
  for (let i = 0; i < letters.length; i++) {
    if ((lengths[i] ?? 0) > text.length || ((letters[i] ?? 0) & missing) !== 0) continue
    effort.left -= COMPARISON
    if (effort.left < 0) return
    const candidate = all[i]
    if (candidate?.fits(question)) found.push(candidate.id)
  }
}

function ascending(a: number, b: number): number {
  return a - b
}
