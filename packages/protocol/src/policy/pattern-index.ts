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

type Candidate = {
  id: number
  fits(question: Question): boolean
  /** A bit for each literal letter. */
  letters: number
  /** How many code units it takes at the least. */
  length: number
}

/** The patterns that begin with one literal text: those that end with it or go on. */
type Family = {
  exact: readonly number[]
  /** Go on with a star and nothing else. */
  prefixes: readonly number[]
  others: LiteralTree<Candidate> | undefined
}

type Question = {
  text: string
  kind: TextKind
  letters: number
  effort: Effort
  found: number[]
  /** Made when the first pattern needs them, and shared by all others. */
  points: readonly number[] | undefined
}

/** What it takes to compare a pattern at all, where passing one over takes 1. */
const COMPARISON = 16

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
    walk(tree, { text, kind, effort, found, letters: lettersOf(text), points: undefined })
    if (found.length === 0) return NONE
    return found.length === 1 ? found : found.sort(ascending)
  }
  return {
    matching: (name) => ask(name, 'name', unlimited()),
    covering: (pattern, effort = unlimited()) => ask(pattern, 'pattern', effort),
  }
}

function unlimited(): Effort {
  return { left: Number.POSITIVE_INFINITY }
}

function toFamily(head: string, members: readonly Indexed[]): Family {
  const idsOf = (pattern: string) => {
    const ids = members.filter((member) => member.pattern === pattern).map(({ id }) => id)
    return ids.length === 0 ? NONE : ids
  }
  const others = members
    .filter(({ pattern }) => pattern !== head && pattern !== `${head}*`)
    .map(({ pattern, id }) => ({ literal: tailOf(pattern), value: toCandidate(pattern, id) }))
  return {
    exact: idsOf(head),
    prefixes: idsOf(`${head}*`),
    others: others.length === 0 ? undefined : createLiteralTree(others, 'end'),
  }
}

function tailOf(pattern: string): string {
  return pattern.slice(Math.max(pattern.lastIndexOf('*'), pattern.lastIndexOf('?')) + 1)
}

function toCandidate(pattern: string, id: number): Candidate {
  const plain = pattern.replaceAll('*', '')
  const measures = { id, letters: lettersOf(plain.replaceAll('?', '')), length: plain.length }
  if (pattern.includes('?')) {
    const parts = wildcardParts(pattern)
    return { ...measures, fits: (question) => wildcardFits(parts, ...pointsFor(question)) }
  }
  const glob: Glob = createGlob(pattern)
  // Without `?` a pattern matches and covers by the same comparison.
  return { ...measures, fits: ({ text }) => glob.matches(text) }
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

function walkBack(tree: LiteralTree<Candidate>, question: Question): void {
  const { text, found, letters, effort } = question
  let node = tree
  let end = text.length
  for (;;) {
    for (const candidate of node.values) {
      effort.left -= 1
      if (candidate.length > text.length || (candidate.letters & ~letters) !== 0) continue
      effort.left -= COMPARISON
      if (effort.left < 0) return
      if (candidate.fits(question)) found.push(candidate.id)
    }
    const branch = nextAtEnd(node, text, end)
    if (branch === undefined) return
    end -= branch.text.length
    node = branch.node
  }
}

function ascending(a: number, b: number): number {
  return a - b
}
