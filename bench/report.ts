import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

/** One line of a table: our figure compared with that of a peer, or with our own limit. */
export type Row = { what: string; unit: string; ours: number; peer: number; peerName: string }

const RESULTS = fileURLToPath(new URL('../results', import.meta.url))

/**
 * Prints one table and writes the figures to a JSON file. Only the ratios can be compared between
 * machines.
 */
export function report(name: string, rows: readonly Row[]): void {
  const cpu = cpus()
  const machine = `${cpu.length} × ${cpu[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
  const cells = rows.map((row) => [
    row.what,
    `${format(row.ours)} ${row.unit}`,
    `${format(row.peer)} ${row.unit}`,
    row.peerName,
    format(row.ours / row.peer),
  ])
  const head = ['measurement', 'ours', 'compared with', '', 'ratio']
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  )
  const line = (values: readonly string[]) =>
    values.map((value, column) => value.padEnd(widths[column] ?? 0)).join('  ')
  process.stdout.write(`\n${name} — ${machine}\n\n${line(head)}\n`)
  for (const values of cells) process.stdout.write(`${line(values)}\n`)
  mkdirSync(RESULTS, { recursive: true })
  const file = `${RESULTS}/${name}.json`
  writeFileSync(file, `${JSON.stringify({ name, machine, rows }, null, 2)}\n`)
}

function format(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(2)
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** `share` is from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
