import { widthOf } from './paint.ts'

/**
 * What others named, such as an agent, may hold characters that move the cursor or colour what
 * follows; a terminal must not obey them.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\u{FFFD}')
}

/** Columns as wide as their widest cell, two spaces between. Cells are one line each. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => widthOf(line[column] ?? ''))),
  )
  return lines.map((line) => aligned(line, widths)).join('\n')
}

/** Names at the left, values at the right. */
export function fields(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => widthOf(name)))
  return entries.map((entry) => aligned(entry, [width, 0])).join('\n')
}

function aligned(line: readonly string[], widths: readonly number[]): string {
  const cells = line.map((cell, column) => {
    const room = (widths[column] ?? 0) - widthOf(cell)
    return column === line.length - 1 ? cell : cell + ' '.repeat(Math.max(0, room))
  })
  return cells.join('  ').trimEnd()
}
