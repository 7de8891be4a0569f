const CONTEXT = 2
/** Longer files are matched only at their common start and end, which keeps the cost linear. */
const LINES_MAX = 2_000

type Line = { sign: ' ' | '+' | '-'; text: string }

/** The changed lines of a text with two lines around them, as `diff -u` shows them. */
export function lineDiff(before: string, after: string): string {
  const all = compare(before.split('\n'), after.split('\n'))
  const shown = all.map((_line, at) =>
    all.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  )
  return all
    .flatMap(({ sign, text }, at) => {
      if (shown[at]) return [`${sign} ${text}`]
      return at === 0 || shown[at - 1] ? ['  …'] : []
    })
    .join('\n')
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let tail = 0
  while (
    tail < before.length - start &&
    tail < after.length - start &&
    before.at(-1 - tail) === after.at(-1 - tail)
  ) {
    tail += 1
  }
  const same = (text: string): Line => ({ sign: ' ', text })
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ]
}

/** Keeps the longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): Line[] {
  const removed = (text: string): Line => ({ sign: '-', text })
  const added = (text: string): Line => ({ sign: '+', text })
  if (before.length > LINES_MAX || after.length > LINES_MAX) {
    return [...before.map(removed), ...after.map(added)]
  }
  const common = commonLengths(before, after)
  const lines: Line[] = []
  let row = 0
  let column = 0
  while (row < before.length && column < after.length) {
    const old = before[row] ?? ''
    const now = after[column] ?? ''
    if (old === now) {
      lines.push({ sign: ' ', text: old })
      row += 1
      column += 1
    } else if (common(row + 1, column) >= common(row, column + 1)) {
      lines.push(removed(old))
      row += 1
    } else {
      lines.push(added(now))
      column += 1
    }
  }
  return [...lines, ...before.slice(row).map(removed), ...after.slice(column).map(added)]
}

/** How many lines the two texts have in common from these lines on. */
function commonLengths(before: readonly string[], after: readonly string[]) {
  const width = after.length + 1
  const lengths = new Uint16Array((before.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const isSame = before[row] === after[column]
      lengths[row * width + column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  return at
}
