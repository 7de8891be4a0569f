import { widthOf } from './paint.ts'

/**
 * Replaces control and format characters. Text from others, such as the name of an agent, could
 * otherwise move the cursor or colour the output of the terminal.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\u{FFFD}')
}

/** Aligns columns by their widest cell, with two spaces between them. Cells must be single lines. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => widthOf(line[column] ?? ''))),
  )
  return lines.map((line) => alignRow(line, widths)).join('\n')
}

/** Two aligned columns: names and values. */
export function fields(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => widthOf(name)))
  return entries.map((entry) => alignRow(entry, [width, 0])).join('\n')
}

function alignRow(line: readonly string[], widths: readonly number[]): string {
  const cells = line.map((cell, column) => {
    const padding = (widths[column] ?? 0) - widthOf(cell)
    return column === line.length - 1 ? cell : cell + ' '.repeat(Math.max(0, padding))
  })
  return cells.join('  ').trimEnd()
}
