import { type Static, Type } from 'typebox'
import { messageField, numberField, textField } from '../../../http/body/protobuf.ts'
import { NamedObject } from '../../../http/openapi/named.ts'
import type { Tally } from './tally.ts'

const REASONS =
  'how many were rejected or ignored for which reason, or have no content, and what to do'

export const SpanExport = NamedObject(
  'OtlpTraceExport',
  {
    resourceSpans: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'ResourceSpans of opentelemetry-proto, names in lowerCamelCase',
      }),
    ),
  },
  { description: 'An ExportTraceServiceRequest of OTLP.' },
)

export const SpanExportAnswer = NamedObject(
  'OtlpTraceExportResult',
  {
    partialSuccess: Type.Optional(
      NamedObject('OtlpPartialSuccess', {
        rejectedSpans: Type.String({
          description: 'the number of rejected spans, as a string since it is an int64',
        }),
        errorMessage: Type.String({
          description: REASONS,
        }),
      }),
    ),
  },
  {
    description:
      'An ExportTraceServiceResponse; empty if every span became evidence. The Touchstone-Spans header counts all spans.',
  },
)

export const LogExport = NamedObject(
  'OtlpLogExport',
  {
    resourceLogs: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'ResourceLogs of opentelemetry-proto, names in lowerCamelCase',
      }),
    ),
  },
  { description: 'An ExportLogsServiceRequest of OTLP.' },
)

export const LogExportAnswer = NamedObject(
  'OtlpLogExportResult',
  {
    partialSuccess: Type.Optional(
      NamedObject('OtlpLogPartialSuccess', {
        rejectedLogRecords: Type.String({
          description: 'the number of rejected records, as a string since it is an int64',
        }),
        errorMessage: Type.String({ description: REASONS }),
      }),
    ),
  },
  {
    description:
      'An ExportLogsServiceResponse; empty if every record became evidence. The Touchstone-Log-Records header counts all records.',
  },
)

/** Without rejected items the message is a warning, which OTLP provides for. */
export function toSpanAnswer({ rejected, message }: Tally): Static<typeof SpanExportAnswer> {
  if (message === '') return {}
  return { partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } }
}

export function toLogAnswer({ rejected, message }: Tally): Static<typeof LogExportAnswer> {
  if (message === '') return {}
  return { partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: message } }
}

/** Encodes either answer as protobuf, in which an empty message has no bytes. */
export function toExportMessage({ rejected, message }: Tally): Buffer {
  if (message === '') return Buffer.alloc(0)
  return messageField(1, Buffer.concat([numberField(1, rejected), textField(2, message)]))
}

/** A dictionary structured field (RFC 9651). */
export function toCounts({ accepted, duplicates, ignored, rejected }: Tally): string {
  return `accepted=${accepted}, duplicates=${duplicates}, ignored=${ignored}, rejected=${rejected}`
}
