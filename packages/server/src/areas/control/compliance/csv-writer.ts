import type { ExportWriter } from './export-writer.ts'
import { FIELDS, type Section } from './records.ts'

const LINE_END = '\r\n'
/** Characters that spreadsheets read as the start of a formula (spec: control §1.6). */
const FORMULA = /^[=+\-@]/
const NEEDS_QUOTES = /[",\r\n]/

/**
 * Writes RFC 4180 with a header row. A CSV file holds one section, since all its rows have the
 * same columns.
 */
export function createCsvWriter(): ExportWriter {
  let fields: readonly string[] = []
  return {
    begin: () => '',

    open(section: Section) {
      fields = FIELDS[section]
      return csvRow(fields)
    },

    records: (slice) =>
      slice.map((record) => csvRow(fields.map((field) => record[field]))).join(''),

    close: () => '',
    end: () => '',
  }
}

export function csvRow(values: readonly unknown[]): string {
  return values.map(csvCell).join(',') + LINE_END
}

/** Null is an empty cell, lists and objects are JSON, and formulas are escaped to plain text. */
export function csvCell(value: unknown): string {
  const text = textOf(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
