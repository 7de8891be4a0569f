import { Type } from 'typebox'
import { messageField, numberField, textField } from '../../../http/body/protobuf.ts'
import { NamedObject } from '../../../http/openapi/named.ts'
import type { Tally } from './tally.ts'

export const ExportBody = NamedObject(
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

export const ExportAnswer = NamedObject(
  'OtlpTraceExportResult',
  {
    partialSuccess: Type.Optional(
      NamedObject('OtlpPartialSuccess', {
        rejectedSpans: Type.String({
          description: 'the number of rejected spans, as a string since it is an int64',
        }),
        errorMessage: Type.String({
          description: 'how many were rejected for which reason, and what to do',
        }),
      }),
    ),
  },
  {
    description:
      'An ExportTraceServiceResponse; empty if no span was rejected. The Touchstone-Spans header counts all spans.',
  },
)

export function toExportAnswer(tally: Tally) {
  if (tally.rejected === 0) return {}
  const rejectedSpans = String(tally.rejected)
  return { partialSuccess: { rejectedSpans, errorMessage: tally.message } }
}

/** Encodes the answer as protobuf, in which an empty message has no bytes. */
export function toExportMessage(tally: Tally): Buffer {
  if (tally.rejected === 0) return Buffer.alloc(0)
  const partial = [numberField(1, tally.rejected), textField(2, tally.message)]
  return messageField(1, Buffer.concat(partial))
}

/** A dictionary structured field (RFC 9651). */
export function toCounts({ accepted, duplicates, ignored, rejected }: Tally): string {
  return `accepted=${accepted}, duplicates=${duplicates}, ignored=${ignored}, rejected=${rejected}`
}
