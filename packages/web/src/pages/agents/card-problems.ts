import type { CodeProblem } from '../../ui/codemirror.ts'
import type { Findings } from './card-queries.ts'

/** Converts findings, which carry JSON pointers, to editor diagnostics with line numbers. */
export function problemsOf(text: string, findings: Findings): CodeProblem[] {
  const lines = text.split('\n')
  const place = (severity: CodeProblem['severity']) => (finding: Findings['errors'][number]) => ({
    severity,
    message: finding.message,
    line: lineOf(lines, finding.path),
  })
  return [...findings.errors.map(place('error')), ...findings.warnings.map(place('warning'))]
}

/**
 * The 1-based line of a JSON pointer in block-style YAML, as the service writes it. Falls back to
 * the closest parent that can be found.
 */
function lineOf(lines: readonly string[], pointer: string): number {
  let at = -1
  for (const part of pointer.split('/').slice(1)) {
    const next = /^\d+$/.test(part) ? itemAfter(lines, at, Number(part)) : keyAfter(lines, at, part)
    if (next === -1) break
    at = next
  }
  return Math.max(at, 0) + 1
}

function keyAfter(lines: readonly string[], at: number, key: string): number {
  const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
  return lines.findIndex(
    (line, index) => index > at && line.replace(/^[\s-]*/, '').startsWith(`${name}:`),
  )
}

function itemAfter(lines: readonly string[], at: number, number: number): number {
  const first = lines.findIndex((line, index) => index > at && /^\s*- /.test(line))
  const indent = lines[first]?.match(/^\s*/)?.[0] ?? ''
  const items = lines.flatMap((line, index) =>
    index >= first && first !== -1 && line.startsWith(`${indent}- `) ? [index] : [],
  )
  return items[number] ?? -1
}
