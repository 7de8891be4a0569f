import { csvRow } from '../../../exports/csv.ts'
import type { ExportWriter } from './export-writer.ts'
import { FIELDS, type Section } from './records.ts'

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
