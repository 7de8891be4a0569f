import type { ExportRecord, Section } from './records.ts'

export const FORMATS = ['json', 'ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** What is said of an export besides its records. */
export type ExportHeader = { agentId: string; exportDate: Date; chainValid: boolean }

/**
 * Makes the text of an export piece by piece: begin, each section with as many slices of records as
 * come, end. Pieces may be empty; together they are the document, and none is kept. INVARIANT: a
 * record has at least one member.
 */
export type ExportWriter = {
  begin(header: ExportHeader): string
  open(section: Section): string
  records(slice: readonly ExportRecord[]): string
  close(): string
  end(): string
}

/** 02 §4.6. */
export function fileName(agentId: string, exportDate: Date, format: Format): string {
  const day = exportDate.toISOString().slice(0, 10).replaceAll('-', '')
  return `compliance-${agentId}-${day}.${format}`
}
