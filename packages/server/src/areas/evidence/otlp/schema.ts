import { Type } from 'typebox'
import { messageField, numberField, textField } from '../../../http/body/protobuf.ts'
import type { Tally } from './tally.ts'

export const ExportBody = Type.Object(
  {
    resourceSpans: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'ResourceSpans of opentelemetry-proto, names in lowerCamelCase',
      }),
    ),
  },
  { description: 'An ExportTraceServiceRequest of OTLP.' },
)

export const ExportAnswer = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object({
        rejectedSpans: Type.String({ description: 'how many, as text: it has 64 bits' }),
        errorMessage: Type.String({ description: 'how many for which reason, and what to do' }),
      }),
    ),
  },
  {
    description:
      'An ExportTraceServiceResponse; empty when no span was rejected. The header Touchstone-Spans counts all of them.',
  },
)

export function toExportAnswer(tally: Tally) {
  if (tally.rejected === 0) return {}
  const rejectedSpans = String(tally.rejected)
  return { partialSuccess: { rejectedSpans, errorMessage: tally.message } }
}

/** The same in protobuf, where an empty message has no bytes. */
export function toExportMessage(tally: Tally): Buffer {
  if (tally.rejected === 0) return Buffer.alloc(0)
  const partial = [numberField(1, tally.rejected), textField(2, tally.message)]
  return messageField(1, Buffer.concat(partial))
}

/** A dictionary of RFC 9651. */
export function toCounts({ accepted, duplicates, ignored, rejected }: Tally): string {
  return `accepted=${accepted}, duplicates=${duplicates}, ignored=${ignored}, rejected=${rejected}`
}
