import { type Static, type TSchema, Type } from 'typebox'
import { ROWS_CONTENT } from '../../../http/answers/export-file.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, Nullable, toInstant } from '../../../http/wire.ts'
import { invalidField } from '../../../kernel/problem.ts'
import { FORMATS } from './export-writer.ts'
import { SECTIONS } from './records.ts'
import type { ExportRequest } from './service.ts'

const Text = Type.String()

export const ExportQuery = Type.Object({
  format: Type.Optional(NamedEnum('ExportFormat', [...FORMATS], { default: 'json' })),
  from: Type.Optional(
    Type.String({ ...Instant, description: 'the earliest time; weeks count by their start' }),
  ),
  to: Type.Optional(Type.String({ ...Instant, description: 'the latest time' })),
  section: Type.Optional(
    NamedEnum('ExportSection', [...SECTIONS], {
      description: 'for csv, which has one kind of row; default: violations',
    }),
  ),
})

const Snapshot = NamedObject('ExportedScore', {
  week_start: Text,
  score: Type.Number(),
  grade: Text,
  checkpoint_count: Type.Integer(),
  components: Type.Record(Text, Nullable(Type.Number())),
  assurance: Nullable(Type.Integer()),
  assured_score: Nullable(Type.Integer()),
})

/** The schemas of the other endpoints, so that an export cannot differ from them. */
export type Shapes = { violation: TSchema; reclassification: TSchema; cardAmendment: TSchema }

const exportOf = (shapes: Shapes) =>
  NamedObject('ComplianceExport', {
    agent_id: Text,
    export_date: Text,
    violations: Type.Array(shapes.violation),
    reclassifications: Type.Array(shapes.reclassification),
    card_amendments: Type.Array(shapes.cardAmendment),
    score_history: Type.Array(Snapshot),
    integrity_chain_valid: Type.Boolean(),
  })

export const exportAnswer = (shapes: Shapes) => ({
  description:
    'The records as of the start of the export, oldest first. NDJSON: one record per line, its kind in the field record (header, violation, reclassification, card_amendment, snapshot, trailer); the trailer has counts and the SHA-256, in hex, of all bytes before it. CSV: one section with a header row; nested values are JSON, and a cell that starts like a formula gets a leading apostrophe.',
  content: {
    'application/json': { schema: exportOf(shapes) },
    ...ROWS_CONTENT,
  },
})

/** Rejects contradictory filters: an empty export would look like a clean record. */
export function toExportRequest(
  agentId: string,
  { format = 'json', section, ...range }: Static<typeof ExportQuery>,
): ExportRequest {
  const from = toInstant(range.from, 'from')
  const to = toInstant(range.to, 'to')
  if (from !== undefined && to !== undefined && from > to) {
    throw invalidField('from', 'It is later than `to`.')
  }
  if (section !== undefined && format !== 'csv') {
    throw invalidField('section', 'Only csv is of one section; the other formats hold all of them.')
  }
  return { agentId, from, to, format, section: section ?? 'violations' }
}
