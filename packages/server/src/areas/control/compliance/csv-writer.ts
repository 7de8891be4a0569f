import type { ExportWriter } from './export-writer.ts'
import { FIELDS, type Section } from './records.ts'

const LINE_END = '\r\n'
/** What spreadsheets take for the beginning of a formula (02 §4.6). */
const FORMULA = /^[=+\-@]/
const NEEDS_QUOTES = /[",\r\n]/

/** A table as RFC 4180 has it, with a header row; of one section, as a table has one kind of row. */
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

/** Null is an empty cell; lists and objects are JSON; what looks like a formula is made plain text. */
export function csvCell(value: unknown): string {
  const text = textOf(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
