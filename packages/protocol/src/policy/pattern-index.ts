import { createGlob, type Glob } from './glob.ts'
import { createLiteralTree, type LiteralTree, nextAtEnd, nextAtStart } from './literal-tree.ts'

/**
 * Many patterns asked at once. A pattern begins and ends with literal text more often than not,
 * so patterns stand in a tree over how they begin, and at each place of it in another over how
 * they end. What fits at both ends is all that has to be matched in full.
 */

export type PatternIndex = {
  /** The ids of the patterns that match the name, ascending. */
  matching(name: string): readonly number[]
  /** The ids of the patterns that cover the pattern, ascending. */
  covering(pattern: string): readonly number[]
}

type Indexed = { pattern: string; id: number }
type Candidate = { glob: Glob; id: number }

/** The patterns that begin with one literal text: those that end with it or go on. */
type Family = {
  exact: readonly number[]
  /** Go on with a star and nothing else. */
  prefixes: readonly number[]
  others: LiteralTree<Candidate> | undefined
}

type Question = { text: string; how: keyof Glob; found: number[] }

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
  const ask = (text: string, how: keyof Glob): readonly number[] => {
    const found: number[] = []
    walk(tree, { text, how, found })
    if (found.length === 0) return NONE
    return found.length === 1 ? found : found.sort(ascending)
  }
  return {
    matching: (name) => ask(name, 'matches'),
    covering: (pattern) => ask(pattern, 'covers'),
  }
}

function toFamily(head: string, members: readonly Indexed[]): Family {
  const idsOf = (pattern: string) =>
    members.filter((member) => member.pattern === pattern).map(({ id }) => id)
  const others = members
    .filter(({ pattern }) => pattern !== head && pattern !== `${head}*`)
    .map(({ pattern, id }) => ({
      literal: /[^*?]*$/.exec(pattern)?.[0] ?? '',
      value: { glob: createGlob(pattern), id },
    }))
  return {
    exact: idsOf(head),
    prefixes: idsOf(`${head}*`),
    others: others.length === 0 ? undefined : createLiteralTree(others, 'end'),
  }
}

function walk(tree: LiteralTree<Family>, question: Question): void {
  const { text, found } = question
  let node = tree
  let at = 0
  for (;;) {
    for (const { exact, prefixes, others } of node.values) {
      if (prefixes.length > 0) found.push(...prefixes)
      if (at === text.length) found.push(...exact)
      if (others !== undefined) walkBack(others, question)
    }
    const branch = nextAtStart(node, text, at)
    if (branch === undefined) return
    at += branch.text.length
    node = branch.node
  }
}

function walkBack(tree: LiteralTree<Candidate>, { text, how, found }: Question): void {
  let node = tree
  let end = text.length
  for (;;) {
    for (const { glob, id } of node.values) if (glob[how](text)) found.push(id)
    const branch = nextAtEnd(node, text, end)
    if (branch === undefined) return
    end -= branch.text.length
    node = branch.node
  }
}

function ascending(a: number, b: number): number {
  return a - b
}
