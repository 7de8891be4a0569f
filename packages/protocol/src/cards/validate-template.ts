import { createShape, type Finding, isJsonObject, type JsonObject } from '../base/shape.ts'
import type { ConscienceValue } from './card.ts'
import type { CardTemplate } from './compose-card.ts'
import {
  checkAudit,
  checkEnvelope,
  checkValues,
  hasCanonicalForm,
  readConscienceValues,
  warnOfConditions,
} from './validate-card.ts'

export type TemplateOutcome =
  | {
      valid: true
      card: CardTemplate
      conscienceValues: readonly ConscienceValue[]
      errors: readonly []
      warnings: readonly Finding[]
    }
  | { valid: false; errors: readonly Finding[]; warnings: readonly Finding[] }

/** Fields that a card must have and a template need not; given fields replace these. */
const FILLER = {
  values: { declared: ['honesty'] },
  autonomy_envelope: { bounded_actions: ['inference'] },
  audit_commitment: { retention_days: 1, queryable: false },
}

/**
 * A template is a card of which any part may be missing (spec: control §3.3). Fields that belong to
 * a single agent are ignored. The card is returned as written; paths start at the template.
 */
export function validateTemplate(given: {
  card: unknown
  conscienceValues?: unknown
}): TemplateOutcome {
  const beside = createShape()
  const conscienceValues = readConscienceValues(beside, given.conscienceValues)
  const shape = createShape()
  const card = readTemplate(shape, given.card)
  const errors = [...inside(shape.errors), ...beside.errors]
  const warnings = [...inside(shape.warnings), ...beside.warnings]
  if (card === undefined || errors.length > 0) return { valid: false, errors, warnings }
  return { valid: true, card, conscienceValues, errors: [], warnings }
}

function inside(findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => ({ ...finding, path: `/card_json${finding.path}` }))
}

function readTemplate(shape: ReturnType<typeof createShape>, input: unknown) {
  const card = shape.object('', input, [
    'aap_version',
    'card_id',
    'agent_id',
    'issued_at',
    'expires_at',
    'principal',
    'values',
    'autonomy_envelope',
    'audit_commitment',
    'extensions',
  ])
  if (card === undefined || !hasCanonicalForm(shape, card)) return undefined
  if (card['values'] !== undefined) checkValues(shape, filled(card, 'values'))
  if (card['autonomy_envelope'] !== undefined) {
    checkEnvelope(shape, filled(card, 'autonomy_envelope'))
  }
  if (card['audit_commitment'] !== undefined) checkAudit(shape, filled(card, 'audit_commitment'))
  if (card['extensions'] !== undefined) shape.object('/extensions', card['extensions'])
  if (shape.errors.length > 0) return undefined
  // Every field that composition reads was checked above.
  const template = card as CardTemplate
  warnOfConditions(shape, template.autonomy_envelope?.escalation_triggers ?? [])
  return template
}

function filled(card: JsonObject, block: keyof typeof FILLER): unknown {
  const given = card[block]
  return isJsonObject(given) ? { ...FILLER[block], ...given } : given
}
