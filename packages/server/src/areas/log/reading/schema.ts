import { bytesToBase64, bytesToHex } from '@touchstone/protocol/base'
import { LOG_ENTRY_TYPES } from '@touchstone/protocol/log'
import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import type { LogProof as Proof, ScittProof } from './proof-service.ts'

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

const LogProof = NamedObject('LogProof', {
  index: Type.Integer({ description: 'the place of the entry in the log, from 0' }),
  entry: NamedObject('LogEntry', {
    at: Type.String(),
    hash: Type.String({ description: 'HMAC-SHA-256 of the canonical record, keyed by the nonce' }),
    org: Type.String({ description: 'tag of the organisation in this month' }),
    type: Type.String(),
    v: Type.Integer(),
  }),
  nonce: Type.String({ description: 'hex' }),
  record: Type.Object({}, { additionalProperties: true, description: 'the members hashed' }),
  proof: Type.String({ description: 'the text of c2sp.org/tlog-proof' }),
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

export function toProof({ index, entry, nonce, record, proof }: Proof) {
  return { index, entry, nonce: bytesToHex(nonce), record: JSON.parse(record), proof }
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
