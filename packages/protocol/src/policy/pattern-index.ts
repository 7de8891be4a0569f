import { createGlob, type Glob } from './glob.ts'

/**
 * Many patterns asked at once. Most patterns begin with literal text, so they stand in a tree
 * over that text: one walk along a name passes the exact names and prefixes that fit and the few
 * patterns that still may. What begins with a wildcard is told apart by its last character.
 */

export type PatternIndex = {
  /** The ids of the patterns that match the name, ascending. */
  matching(name: string): readonly number[]
  /** The ids of the patterns that cover the pattern, ascending. */
  covering(pattern: string): readonly number[]
}

type Entry = { glob: Glob; id: number }

type Node = {
  /** Of the patterns that are literal up to here: those that end, go on with a star, go on. */
  exact: number[]
  prefixes: number[]
  others: Entry[]
  /** By their first code unit. Only places where patterns part are nodes. */
  branches: Map<number, { text: string; node: Node }>
}

type Pattern = { text: string; literal: string; id: number }
type Question = { text: string; how: keyof Glob; found: number[] }

const NONE: readonly number[] = []
/** The key of patterns that end in a wildcard; no code unit is negative. */
const ANY_LAST = -1

/** An id may stand for several patterns; it is then found once for each that fits. */
export function createPatternIndex(
  patterns: readonly { pattern: string; id: number }[],
): PatternIndex {
  const all = patterns.map(({ pattern, id }) => {
    // Two stars in a row say what one says.
    const text = pattern.replace(/\*+/g, '*')
    return { text, literal: /^[^*?]*/.exec(text)?.[0] ?? '', id }
  })
  const root = toNode(all.filter(isRooted), 0)
  const floating = byLastUnit(all.filter((pattern) => !isRooted(pattern)))
  const ask = (text: string, how: keyof Glob): readonly number[] => {
    const question = { text, how, found: [] }
    walk(root, question)
    if (floating.size > 0) {
      test(floating.get(text.charCodeAt(text.length - 1)), question)
      test(floating.get(ANY_LAST), question)
    }
    const { found } = question
    if (found.length === 0) return NONE
    return found.length === 1 ? found : found.sort(ascending)
  }
  return {
    matching: (name) => ask(name, 'matches'),
    covering: (pattern) => ask(pattern, 'covers'),
  }
}

/** A lone star fits everything, so it is the empty prefix, which the tree has at its root. */
function isRooted({ text, literal }: Pattern): boolean {
  return literal !== '' || text === '' || text === '*'
}

function toNode(patterns: readonly Pattern[], depth: number): Node {
  const node: Node = { exact: [], prefixes: [], others: [], branches: new Map() }
  for (const pattern of patterns) if (pattern.literal.length === depth) settle(node, pattern)
  const longer = patterns.filter(({ literal }) => literal.length > depth)
  for (const [unit, group] of groupBy(longer, ({ literal }) => literal.charCodeAt(depth))) {
    const end = commonEnd(group, depth)
    const text = group[0]?.literal.slice(depth, end) ?? ''
    node.branches.set(unit, { text, node: toNode(group, end) })
  }
  return node
}

function settle(node: Node, { text, literal, id }: Pattern): void {
  const rest = text.slice(literal.length)
  if (rest === '') node.exact.push(id)
  else if (rest === '*') node.prefixes.push(id)
  else node.others.push({ glob: createGlob(text), id })
}

/** How far the literals of a group agree; they do at `depth`. */
function commonEnd(group: readonly Pattern[], depth: number): number {
  const [first = '', ...others] = group.map(({ literal }) => literal)
  let end = first.length
  for (const literal of others) {
    let at = depth
    while (at < end && literal.charCodeAt(at) === first.charCodeAt(at)) at++
    end = at
  }
  return end
}

function byLastUnit(patterns: readonly Pattern[]): Map<number, Entry[]> {
  const groups = groupBy(patterns, ({ text }) =>
    /[*?]$/.test(text) ? ANY_LAST : text.charCodeAt(text.length - 1),
  )
  return new Map(
    [...groups].map(([unit, group]) => [
      unit,
      group.map(({ text, id }) => ({ glob: createGlob(text), id })),
    ]),
  )
}

function groupBy(
  patterns: readonly Pattern[],
  keyOf: (pattern: Pattern) => number,
): Map<number, Pattern[]> {
  const groups = new Map<number, Pattern[]>()
  for (const pattern of patterns) {
    const key = keyOf(pattern)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [pattern])
    else group.push(pattern)
  }
  return groups
}

function walk(root: Node, question: Question): void {
  const { text, found } = question
  let node = root
  let at = 0
  for (;;) {
    for (const id of node.prefixes) found.push(id)
    if (at === text.length) for (const id of node.exact) found.push(id)
    test(node.others, question)
    const branch = node.branches.get(text.charCodeAt(at))
    if (branch === undefined || !text.startsWith(branch.text, at)) return
    at += branch.text.length
    node = branch.node
  }
}

function test(entries: readonly Entry[] | undefined, { text, how, found }: Question): void {
  if (entries === undefined) return
  for (const { glob, id } of entries) if (glob[how](text)) found.push(id)
}

function ascending(a: number, b: number): number {
  return a - b
}
