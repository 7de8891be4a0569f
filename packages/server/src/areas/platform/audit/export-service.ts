import { csvRow } from '../../../exports/csv.ts'
import type { RowFormat } from '../../../exports/row-formats.ts'
import { slices } from '../../../exports/slices.ts'
import type { EntryFilter, StoredEntry } from './store.ts'

/** Newest first, after the last entry already read. */
export type ReadEntries = (after: StoredEntry | undefined, limit: number) => Promise<StoredEntry[]>

/** Renders entries as records with the fields of the API, in a fixed order. */
export type Render = {
  fields: readonly string[]
  record(entry: StoredEntry): Readonly<Record<string, unknown>>
}

export type AuditExports = ReturnType<typeof createAuditExports>

export function createAuditExports(
  reader: (orgId: string, filter: EntryFilter) => ReadEntries,
  { fields, record }: Render,
) {
  const csvOf = (entry: StoredEntry) => {
    const values = record(entry)
    return csvRow(fields.map((field) => values[field]))
  }
  const lineOf = (entry: StoredEntry) => `${JSON.stringify(record(entry))}\n`
  return {
    /** In pages that are read on demand, so that a slow reader holds no connection. */
    async *texts(orgId: string, filter: EntryFilter, format: RowFormat): AsyncGenerator<string> {
      const read = reader(orgId, filter)
      if (format === 'csv') yield csvRow(fields)
      const textOf = format === 'csv' ? csvOf : lineOf
      yield* slices(
        (_: undefined, after: StoredEntry | undefined, limit) => read(after, limit),
        undefined,
        (entries) => entries.map(textOf).join(''),
      )
    },
  }
}
