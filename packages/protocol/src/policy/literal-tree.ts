/**
 * Values keyed by literal texts, found by the start or the end of another text (a radix tree). One
 * walk finds every literal that fits, in time that depends on the text's length, not on the number
 * of literals.
 */
export type LiteralTree<Value> = {
  /** The values of the literals that end here. */
  values: Value[]
  /**
   * By the next code unit. Nodes exist only where literals diverge; edges carry the text between
   * them.
   */
  branches: ReadonlyMap<number, { text: string; node: LiteralTree<Value> }>
}

/** The end of a text from which literals are read. */
export type Side = 'start' | 'end'

type Entry<Value> = { literal: string; value: Value }

export function createLiteralTree<Value>(
  entries: readonly Entry<Value>[],
  side: Side,
): LiteralTree<Value> {
  return toNode(entries, { side, depth: 0 })
}

/** Shared, because most nodes are leaves, and a map of their own would be most of their size. */
const NO_BRANCHES: ReadonlyMap<number, never> = new Map<number, never>()

type Place = { side: Side; depth: number }

function toNode<Value>(entries: readonly Entry<Value>[], place: Place): LiteralTree<Value> {
  const { side, depth } = place
  const values = entries.filter(({ literal }) => literal.length === depth).map(({ value }) => value)
  const groups = new Map<number, Entry<Value>[]>()
  for (const entry of entries) {
    if (entry.literal.length === depth) continue
    const unit = unitAt(entry.literal, place)
    const group = groups.get(unit)
    if (group === undefined) groups.set(unit, [entry])
    else group.push(entry)
  }
  if (groups.size === 0) return { values, branches: NO_BRANCHES }
  const branches = new Map(
    [...groups].map(([unit, group]) => {
      const end = commonDepth(group, place)
      const literal = group[0]?.literal ?? ''
      const text =
        side === 'start'
          ? literal.slice(depth, end)
          : literal.slice(literal.length - end, literal.length - depth)
      return [unit, { text, node: toNode(group, { side, depth: end }) }]
    }),
  )
  return { values, branches }
}

function unitAt(literal: string, { side, depth }: Place): number {
  return literal.charCodeAt(side === 'start' ? depth : literal.length - 1 - depth)
}

/** The depth up to which all literals of a group agree, starting at `depth`. */
function commonDepth(group: readonly Entry<unknown>[], { side, depth }: Place): number {
  const [first = '', ...others] = group.map(({ literal }) => literal)
  let end = first.length
  for (const literal of others) {
    let at = depth
    while (
      at < end &&
      unitAt(literal, { side, depth: at }) === unitAt(first, { side, depth: at })
    ) {
      at++
    }
    end = at
  }
  return end
}

/** The node after the next matching literal text, if any. */
export function nextAtStart<Value>(node: LiteralTree<Value>, text: string, at: number) {
  const branch = node.branches.get(text.charCodeAt(at))
  return branch !== undefined && text.startsWith(branch.text, at) ? branch : undefined
}

/** The same towards the start of the text, beginning at `end`. */
export function nextAtEnd<Value>(node: LiteralTree<Value>, text: string, end: number) {
  const branch = node.branches.get(text.charCodeAt(end - 1))
  return branch !== undefined && text.endsWith(branch.text, end) ? branch : undefined
}
