import { createHash } from 'node:crypto'
import { csvRow } from '../../../exports/csv.ts'
import type { RowFormat } from '../../../exports/row-formats.ts'
import { slices } from '../../../exports/slices.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { DecisionFilter } from './decision-filter.ts'
import type { LoggedDecision } from './decision-record.ts'
import type { DecisionReads, ReadPage } from './read-service.ts'

export type ExportDeps = {
  clock: Clock
  /** Reports an export that failed after its response had started. */
  onBrokenExport(err: unknown): void
}

/** Complete once the last text has been read. */
export type ExportFigures = { decisions: number; sha256: string }

export type DecisionExport = {
  name: string
  texts: AsyncIterable<string>
  figures(): ExportFigures
}

/** Renders the decisions as records with the fields of the API, in a fixed order. */
export type Render = {
  fields: readonly string[]
  records(decisions: readonly LoggedDecision[]): Readonly<Record<string, unknown>>[]
}

export type DecisionExports = ReturnType<typeof createDecisionExports>

export function createDecisionExports(deps: ExportDeps, reads: DecisionReads, render: Render) {
  return {
    /**
     * Streams the decisions, newest first, in pages that are read on demand. No connection is held
     * between pages, so a slow reader does not occupy the pool.
     */
    async start(filter: DecisionFilter, format: RowFormat): Promise<DecisionExport> {
      const exportDate = deps.clock.now()
      const read = await reads.reader(filter)
      const hash = createHash('sha256')
      let decisions = 0
      let digest: string | undefined
      const figures = (): ExportFigures => {
        digest ??= hash.digest('hex')
        return { decisions, sha256: digest }
      }
      const rows = (page: readonly LoggedDecision[]): string => {
        decisions += page.length
        const records = render.records(page)
        return format === 'csv' ? csvRows(render.fields, records) : ndjsonRows(records)
      }
      const header = {
        record: 'header',
        org_id: filter.orgId,
        export_date: exportDate.toISOString(),
      }
      const begin = format === 'csv' ? csvRow(render.fields) : ndjsonLine(header)
      const write = async function* (): AsyncGenerator<string> {
        try {
          for await (const text of texts(begin, read, rows)) {
            hash.update(text, 'utf8')
            yield text
          }
          const { sha256 } = figures()
          if (format === 'ndjson') {
            yield ndjsonLine({ record: 'trailer', counts: { decisions }, sha256 })
          }
        } catch (err) {
          // The response has started, so it can only be aborted; this is the only report of the cause.
          deps.onBrokenExport(err)
          throw err
        }
      }
      return { name: fileName(exportDate, format), texts: write(), figures }
    },
  }
}

async function* texts(
  begin: string,
  read: ReadPage,
  rows: (page: readonly LoggedDecision[]) => string,
): AsyncGenerator<string> {
  yield begin
  yield* slices((_: undefined, after, limit) => read(after, limit), undefined, rows)
}

function csvRows(
  fields: readonly string[],
  records: readonly Readonly<Record<string, unknown>>[],
): string {
  return records.map((record) => csvRow(fields.map((field) => record[field]))).join('')
}

function ndjsonRows(records: readonly Readonly<Record<string, unknown>>[]): string {
  return records.map((record) => ndjsonLine({ record: 'decision', ...record })).join('')
}

function ndjsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`
}

function fileName(exportDate: Date, format: RowFormat): string {
  const day = exportDate.toISOString().slice(0, 10).replaceAll('-', '')
  return `decisions-${day}.${format}`
}
