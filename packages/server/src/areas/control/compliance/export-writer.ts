import type { ExportRecord, Section } from './records.ts'

export const FORMATS = ['json', 'ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** The facts in an export besides its records. */
export type ExportHeader = { agentId: string; exportDate: Date; chainValid: boolean }

/**
 * Renders an export piece by piece: `begin`, then each section with any number of slices of
 * records, then `end`. Pieces can be empty; concatenated they are the document. The writer
 * buffers none of them. INVARIANT: a record has at least one member.
 */
export type ExportWriter = {
  begin(header: ExportHeader): string
  open(section: Section): string
  records(slice: readonly ExportRecord[]): string
  close(): string
  end(): string
}

/** The file name of an export (spec: control §1.6). */
export function fileName(agentId: string, exportDate: Date, format: Format): string {
  const day = exportDate.toISOString().slice(0, 10).replaceAll('-', '')
  return `compliance-${agentId}-${day}.${format}`
}
