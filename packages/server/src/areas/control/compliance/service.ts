import { slices } from '../../../exports/slices.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { createCsvWriter } from './csv-writer.ts'
import { type ExportWriter, type Format, fileName } from './export-writer.ts'
import { createJsonWriter } from './json-writer.ts'
import { createNdjsonWriter } from './ndjson-writer.ts'
import type { Auditor, Records, RecordsEnd, Scores } from './ports.ts'
import {
  SECTIONS,
  type Section,
  type Snapshot,
  toAmendment,
  toReclassification,
  toSnapshot,
  toViolation,
} from './records.ts'

/** Before any week that can have a score. */
const NEVER = '0001-01-01'

export type ComplianceDeps = {
  clock: Clock
  records: Records
  scores: Scores
  auditor: Auditor
  /** Reports an export that failed after its response had started. */
  onBroken(err: unknown): void
}

export type ExportRequest = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  format: Format
  /** Used by CSV, which holds one section. */
  section: Section
}

export type ExportedFile = { name: string; texts: AsyncIterable<string> }

/** The content of an export: the records that existed when it began, despite later changes. */
type Scope = Pick<ExportRequest, 'agentId' | 'from' | 'to'> & {
  exportDate: Date
  end: RecordsEnd
  latestWeek: Snapshot | undefined
}

const WRITERS: Record<Format, () => ExportWriter> = {
  json: createJsonWriter,
  ndjson: createNdjsonWriter,
  csv: createCsvWriter,
}

export type ComplianceService = ReturnType<typeof createComplianceService>

export function createComplianceService(deps: ComplianceDeps) {
  return {
    /**
     * Streams an export, rendering slices of records on demand. No connection is held between
     * slices, so a slow reader does not occupy the pool.
     */
    async export({ format, section, ...wanted }: ExportRequest): Promise<ExportedFile> {
      const { agentId } = wanted
      const exportDate = deps.clock.now()
      // CSV does not show chain validity, so the costly verification is skipped.
      const chainValid = format === 'csv' || (await deps.auditor.verifyTail(agentId)).valid
      const latestWeek = await deps.scores.latestWeek(agentId)
      const end = await deps.records.recordsEnd(agentId)
      const writer = WRITERS[format]()
      const begin = writer.begin({ agentId, exportDate, chainValid })
      const sections = format === 'csv' ? [section] : SECTIONS
      const scope = { ...wanted, exportDate, end, latestWeek }
      return {
        name: fileName(agentId, exportDate, format),
        texts: write(deps, { begin, scope, sections, writer }),
      }
    },
  }
}

type Plan = { begin: string; scope: Scope; sections: readonly Section[]; writer: ExportWriter }

async function* write(
  deps: ComplianceDeps,
  { begin, scope, sections, writer }: Plan,
): AsyncGenerator<string> {
  const readers = readersOf(deps)
  try {
    let text = begin
    for (const section of sections) {
      text += writer.open(section)
      for await (const slice of readers[section](scope, writer.records)) {
        yield text + slice
        text = ''
      }
      text += writer.close()
    }
    yield text + writer.end()
  } catch (err) {
    // The response has started, so it can only be aborted; this is the only report of the cause.
    deps.onBroken(err)
    throw err
  }
}

type Render = ExportWriter['records']
type Reader = (scope: Scope, render: Render) => AsyncIterable<string>

function readersOf({ records, scores }: ComplianceDeps): Record<Section, Reader> {
  return {
    violations: (scope, render) =>
      slices(records.violationsAfter, scope, (found) => render(found.map(toViolation))),

    reclassifications: (scope, render) =>
      slices(records.reclassificationsAfter, scope, (found) =>
        render(found.map((one) => toReclassification(one, scope.exportDate))),
      ),

    card_amendments: (scope, render) =>
      slices(records.amendmentsAfter, scope, (found) => render(found.map(toAmendment))),

    score_history({ latestWeek, ...scope }, render) {
      const throughWeek = latestWeek?.weekStart ?? NEVER
      // The current week may have been recomputed since the export began.
      const asItWas = (one: Snapshot) => (one.weekStart === throughWeek ? latestWeek : one) ?? one
      return slices(scores.weeksAfter, { ...scope, throughWeek }, (found) =>
        render(found.map((one) => toSnapshot(asItWas(one)))),
      )
    },
  }
}
