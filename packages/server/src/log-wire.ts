import { Type } from 'typebox'
import { NamedObject } from './http/openapi/named.ts'

/** The proof that a record is in the witnessed log, as every area answers it. */
export const LogProof = NamedObject('LogProof', {
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
