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
 * Many patterns asked at once. A pattern begins and ends with literal text more often than not,
 * so patterns stand in a tree over how they begin, and at each place of it in another over how
 * they end. Of what fits at both ends, a pattern with a letter that the text lacks, or with more
 * letters than it has, is passed over; only the rest has to be matched in full.
 */

export type PatternIndex = {
  /** The ids of the patterns that match the name, ascending. */
  matching(name: string): readonly number[]
  /**
   * The ids of the patterns that cover the pattern, ascending. Not all of them once the effort is
   * used up, which whoever hands one in must look at.
   */
  covering(pattern: string, effort?: Effort): readonly number[]
}

type Indexed = { pattern: string; id: number }

type Candidate = { id: number; fits(question: Question): boolean }

/**
 * Those that end with one literal text. What decides whether one can be passed over stands apart
 * and close together: reading it from thousands of objects takes ten times as long.
 */
type Candidates = {
  all: readonly Candidate[]
  /** Of each a bit for each literal letter. */
  letters: readonly number[]
  /** Of each how many code units it takes at the least. */
  lengths: readonly number[]
}

/** The patterns that begin with one literal text: those that end with it or go on. */
type Family = {
  exact: readonly number[]
  /** Go on with a star and nothing else. */
  prefixes: readonly number[]
  others: LiteralTree<Candidates> | undefined
}

type Question = {
  text: string
  kind: TextKind
  effort: Effort
  found: number[]
  /** These two are made when the first pattern needs them, and shared by all others. */
  letters: number | undefined
  points: readonly number[] | undefined
}

/** What it takes to compare a pattern at all, where passing one over takes 1. */
const COMPARISON = 48

const NONE: readonly number[] = []

/** An id may stand for several patterns; it is then found once for each that fits. */
export function createPatternIndex(patterns: readonly Indexed[]): PatternIndex {
  const families = new Map<string, Indexed[]>()
  for (const { pattern, id } of patterns) {
    // Two stars in a row say what one says.
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

/** Nothing is ever taken off it. */
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
  // Without `?` a pattern matches and covers by the same comparison.
  return { id, fits: ({ text }) => glob.matches(text) }
}

function pointsFor(question: Question) {
  question.points ??= pointsOf(question.text)
  return [question.points, question.kind, question.effort] as const
}

/** Letters share bits, so only a bit that is missing says something. */
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
