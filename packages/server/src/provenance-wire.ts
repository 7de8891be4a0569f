import { PROVENANCES } from '@touchstone/protocol/evidence'
import { NamedEnum } from './http/openapi/named.ts'

/** The JSON form of the provenance of checkpoints and traces. */
export const Provenance = NamedEnum('Provenance', [...PROVENANCES], {
  description: 'how the service came to know the record',
})
