import { bytesToBase64 } from '@touchstone/protocol/base'
import { LOG_ENTRY_TYPES } from '@touchstone/protocol/log'
import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { LogProof } from '../../../log-wire.ts'
import type { ScittProof } from './proof-service.ts'

export const TileParams = Type.Object({ '*': Type.String() })

export const RecordParams = Type.Object({ record_id: Type.String({ maxLength: 300 }) })

export const ProofQuery = Type.Object({
  type: Type.Optional(
    NamedEnum('LogEntryType', [...LOG_ENTRY_TYPES], {
      description: 'for an id that records of several types have',
    }),
  ),
})

const Size = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

export const ConsistencyQuery = Type.Object({
  from: Type.Integer(Size),
  to: Type.Optional(Type.Integer({ ...Size, description: 'default: the published size' })),
})

export const LogConsistency = NamedObject('LogConsistency', {
  from: Type.Integer(),
  to: Type.Integer(),
  hashes: Type.Array(Type.String({ description: 'base64' })),
})

export const LogProofAnswer = {
  description: 'The proof, as text or, with Accept: application/json, with the opened entry',
  content: {
    'application/json': { schema: LogProof },
    'text/plain': { schema: Type.String() },
  },
}

export function textAnswer(description: string) {
  return { description, content: { 'text/plain': { schema: Type.String() } } }
}

export const ScittAnswer = NamedObject('ScittProof', {
  statement: Type.String({ description: 'COSE_Sign1 in base64; its payload is the entry' }),
  receipt: Type.String({
    description: 'COSE receipt (RFC 9942) in base64, with a proof of type RFC9162_SHA256',
  }),
})

export function toScitt({ statement, receipt }: ScittProof) {
  return { statement: bytesToBase64(statement), receipt: bytesToBase64(receipt) }
}
