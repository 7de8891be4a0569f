import {
  createPatternTrie,
  type GroupedPattern,
  type PatternTrie,
  type TrieNode,
} from './pattern-trie.ts'

/**
 * Searches for names that some patterns match and others do not. States that no pattern can
 * distinguish are merged, and shorter names are explored first (breadth-first search over the
 * patterns' joint automaton), so a result is as short as possible, and an exhausted search proves
 * that there is none. The worst case is exponential, hence the limit.
 */

export type Goal = {
  /** Whether a name matched by these groups is a result. */
  isMet(groups: number): boolean
  /**
   * Whether a longer name could be a result: settled groups match whatever follows, possible ones
   * may still match.
   */
  isOpen(settled: number, possible: number): boolean
}

export type NameSearch = {
  /** Each pattern names its groups as a bit mask. */
  patterns: Iterable<GroupedPattern>
  goals: readonly Goal[]
  lengthMin: 0 | 1
  lengthMax: number
  stepsMax: number
  /** Whether a match by exactly these groups is equivalent to no match for all goals. */
  isNeutral?(groups: number): boolean
}

export type NamesFound = {
  /** One result per goal. */
  names: readonly (string | undefined)[]
  /** The search was exhausted, or all goals were met. */
  complete: boolean
  steps: number
}

/** Yields between slices of work, so that the caller can interleave other work. */
export function* searchNames(search: NameSearch): Generator<undefined, NamesFound> {
  const run = createRun(search)
  yield
  let slice = SLICE
  for (const steps of run.go()) {
    if (run.isOver()) break
    if (steps <= slice) continue
    slice = steps + SLICE
    yield
  }
  return run.result()
}

/** Steps between two yields; they take a few milliseconds. */
const SLICE = 2000

function createRun(search: NameSearch) {
  const { goals, stepsMax, lengthMax, lengthMin, isNeutral = () => false } = search
  const trie = createPatternTrie(search.patterns, isNeutral)
  const other = otherLetter(trie.letters)
  const work = { steps: 0 }
  const enter = createEntry(trie, work)
  const start = { state: enter(0, [trie.root]), length: 0, before: undefined, letter: 0 }
  const queue: Reached[] = [start]
  const seen = new Set<string>()
  const found: (Reached | undefined)[] = goals.map(() => undefined)
  const isFound = () => found.every((reached) => reached !== undefined)
  const note = (reached: Reached) => {
    for (const [at, goal] of goals.entries()) {
      if (goal.isMet(reached.state.groups)) found[at] ??= reached
    }
  }
  const isAlive = ({ settled, possible, neutral }: State) =>
    !(neutral && isNeutral(settled)) &&
    goals.some((goal, at) => found[at] === undefined && goal.isOpen(settled, possible))
  if (lengthMin === 0) note(start)
  return {
    isOver: () => work.steps > stepsMax || isFound(),
    /** Advances letter by letter and yields the number of steps taken. */
    *go(): Generator<number> {
      // The queue grows during the iteration.
      for (const reached of queue) {
        if (reached.length === lengthMax || !isAlive(reached.state)) continue
        for (const { letter, state } of successors(reached.state, { enter, other, work })) {
          if (!seen.has(state.key)) {
            seen.add(state.key)
            const next = { state, length: reached.length + 1, before: reached, letter }
            note(next)
            queue.push(next)
          }
          yield work.steps
        }
      }
    },
    result: (): NamesFound => ({
      names: found.map((reached) => reached && nameOf(reached)),
      complete: work.steps <= stepsMax || isFound(),
      steps: work.steps,
    }),
  }
}

type State = {
  nodes: readonly TrieNode[]
  /** Groups that match from here on, whatever follows. */
  settled: number
  /** Groups that match if the name ends here. */
  groups: number
  /** Groups that may still match later. */
  possible: number
  neutral: boolean
  key: string
}

type Reached = { state: State; length: number; before: Reached | undefined; letter: number }

type Enter = (settled: number, nodes: Iterable<TrieNode>) => State
type Work = { steps: number }

function createEntry(trie: PatternTrie, work: Work): Enter {
  const marks = new Uint32Array(trie.size)
  let mark = 0
  return (before, entered) => {
    mark += 1
    const all: TrieNode[] = []
    let settled = before
    const add = (node: TrieNode | undefined): void => {
      if (node === undefined || marks[node.id] === mark) return
      marks[node.id] = mark
      work.steps += 1
      if (node.loops) settled |= node.accepts
      all.push(node)
      add(node.star)
    }
    for (const node of entered) add(node)
    return stateOf(settled, all)
  }
}

function stateOf(settled: number, entered: readonly TrieNode[]): State {
  // Nodes that lead only to settled groups add nothing.
  const nodes = entered.filter(({ below }) => (below & ~settled) !== 0)
  const state = { nodes, settled, groups: settled, possible: settled, neutral: true, key: '' }
  for (const { accepts, below, neutral } of nodes) {
    state.groups |= accepts
    state.possible |= below
    state.neutral &&= neutral
  }
  // An id as a character makes the shortest key, and a trie has fewer nodes than there are code
  // points.
  state.key = `${settled}:`
  for (const id of Uint32Array.from(nodes, (node) => node.id).sort()) {
    state.key += String.fromCodePoint(id)
  }
  return state
}

/** One successor for each letter that some pattern expects, and one for any other letter. */
function* successors(
  { nodes, settled }: State,
  { enter, other, work }: { enter: Enter; other: number; work: Work },
): Generator<{ letter: number; state: State }> {
  const always: TrieNode[] = []
  const byLetter = new Map<number, TrieNode[]>()
  for (const node of nodes) {
    if (node.loops) always.push(node)
    if (node.any !== undefined) always.push(node.any)
    for (const [letter, next] of node.letters) {
      work.steps += 1
      const waiting = byLetter.get(letter)
      if (waiting === undefined) byLetter.set(letter, [next])
      else waiting.push(next)
    }
  }
  // Sorted, so that the names found do not depend on the order of the patterns.
  for (const [letter, waiting] of [...byLetter].sort(([a], [b]) => a - b)) {
    yield { letter, state: enter(settled, [...always, ...waiting]) }
  }
  yield { letter: other, state: enter(settled, always) }
}

const COMMON = 'xyzabcdefghijklmnopqrstuvw0123456789_'
/** From here to the end of Latin Extended-B there is no white space. */
const RARE = 0xc0
/** Fallback: there are more ideographs than any document can name. */
const IDEOGRAPHS = 0x4e00
const LATIN_END = 0x24f

function otherLetter(letters: ReadonlySet<number>): number {
  for (const letter of COMMON) {
    const point = letter.codePointAt(0) ?? 0
    if (!letters.has(point)) return point
  }
  let point = RARE
  while (letters.has(point)) point = point === LATIN_END ? IDEOGRAPHS : point + 1
  return point
}

function nameOf(reached: Reached): string {
  const points: number[] = []
  for (let at = reached; at.before !== undefined; at = at.before) points.push(at.letter)
  return points
    .reverse()
    .map((point) => String.fromCodePoint(point))
    .join('')
}
