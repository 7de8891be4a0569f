import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'

export const EXPORT_MEDIA_TYPES = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
} as const

/** How the OpenAPI document describes the body of an export of rows. */
export const ROWS_CONTENT = {
  'application/x-ndjson': { schema: Type.String() },
  'text/csv': { schema: Type.String() },
}

type ExportFile = {
  name: string
  format: keyof typeof EXPORT_MEDIA_TYPES
  texts: AsyncIterable<string>
}

/** Streams a file that browsers save. Builds the next text once the caller has read the one before. */
export function sendExport(reply: FastifyReply, { name, format, texts }: ExportFile): FastifyReply {
  return attachment(reply, name)
    .type(EXPORT_MEDIA_TYPES[format])
    .send(Readable.from(texts, { highWaterMark: 1 }))
}

/** INVARIANT: names consist of ids, dates and formats, so none contains a quote that would end it. */
export function attachment(reply: FastifyReply, name: string): FastifyReply {
  return reply.header('content-disposition', `attachment; filename="${name}"`)
}
