import { Type } from 'typebox'
import { NamedObject } from './http/openapi/named.ts'

/** How often card gaps excused violations, in the responses of scores and of the directory. */
export const Reclassified = NamedObject('ReclassifiedViolations', {
  card_gap: Type.Integer({ description: 'those reclassified as card gaps' }),
  of: Type.Integer({ description: 'all violations of the last 90 days' }),
})

export function toReclassified(value: { cardGaps: number; violations: number }) {
  return { card_gap: value.cardGaps, of: value.violations }
}
