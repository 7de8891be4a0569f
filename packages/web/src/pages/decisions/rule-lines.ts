export type RuleLines = { first: number; text: string }

/**
 * The entry of a policy's YAML whose reason is this message, with the number of its first line.
 * Undefined if no entry says so, such as for tools that no capability maps.
 */
export function ruleLines(yaml: string, message: string): RuleLines | undefined {
  const lines = yaml.split('\n')
  const reason = lines.findIndex((line) => reasonIn(line) === message)
  if (reason < 0) return undefined
  const first = lines.findLastIndex(
    (line, place) => place <= reason && line.trimStart().startsWith('- '),
  )
  if (first < 0) return undefined
  const indent = indentOf(lines[first] ?? '')
  const next = lines.findIndex(
    (line, place) => place > reason && line.trim() !== '' && indentOf(line) <= indent,
  )
  const entry = lines.slice(first, next < 0 ? undefined : next)
  const text = entry.map((line) => line.slice(indent)).join('\n')
  return { first: first + 1, text: text.trimEnd() }
}

/** The value of a line `reason: …`, without its quotes. */
function reasonIn(line: string): string | undefined {
  const value = /^\s*(?:- )?reason:\s+(.*?)\s*$/.exec(line)?.[1]
  if (value === undefined) return undefined
  if (value.startsWith("'") && value.endsWith("'")) return value.slice(1, -1).replaceAll("''", "'")
  return value.startsWith('"') ? unquoted(value) : value
}

function unquoted(value: string): string {
  try {
    return String(JSON.parse(value))
  } catch {
    return value
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
