import { Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { PageFields, PageQuery, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { CardChange } from './service.ts'
import type { StoredCard } from './store.ts'

/** Not validated here: card validation reports findings by code; see the concept page. */
const Card = Type.Record(Type.String(), Type.Unknown(), {
  title: 'AlignmentCard',
  description: 'An alignment card, aap_version 0.5.0 or 0.1.0.',
})
const ConscienceValues = Type.Array(Type.Unknown())

export const CardBody = Type.Record(Type.String(), Type.Unknown(), {
  title: 'AlignmentCardSubmission',
  description:
    'The card itself, or {card_json, conscience_values?, reason?}; as JSON or YAML, by Content-Type.',
})

export const CardPatch = NamedObject('AgentCardPatch', {
  card_json: Type.Optional(Card),
  conscience_values: Type.Optional(ConscienceValues),
  reason: Type.Optional(Type.String({ maxLength: 500 })),
})

export const CardQuery = Type.Object({
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  effective: Type.Optional(
    Type.Boolean({ description: 'true: the composed card; for the owning organisation only' }),
  ),
})

export const CardView = NamedObject('AgentCard', {
  card_id: Type.String(),
  agent_id: Type.String(),
  version: Type.Integer(),
  is_active: Type.Boolean(),
  card_json: Card,
  conscience_values: Type.Optional(ConscienceValues),
  issued_at: Type.String(),
  created_at: Type.String(),
  created_by: Type.Optional(Type.String()),
})

const Findings = Type.Array(
  NamedObject('ValidationFinding', {
    path: Type.String(),
    code: Type.String(),
    message: Type.String(),
  }),
)

export const CardChanged = NamedObject(
  'AgentCardChange',
  {
    updated: Type.Boolean(),
    card_id: Type.String(),
    version: Type.Integer(),
    amendment_ids: Type.Array(Type.String()),
    warnings: Findings,
    card: Card,
  },
  { description: 'The stored card, its version and its amendments' },
)

export const CardVerdict = NamedObject('CardValidation', {
  valid: Type.Boolean(),
  errors: Findings,
  warnings: Findings,
})

export const HistoryQuery = PageQuery

export const CardHistory = NamedObject('AgentCardVersionPage', {
  versions: Type.Array(
    NamedObject('AgentCardVersion', {
      version: Type.Integer(),
      card_id: Type.String(),
      is_active: Type.Boolean(),
      issued_at: Type.String(),
      created_at: Type.String(),
      created_by: Type.String(),
      reason: Type.String(),
      changed_fields: Type.Array(Type.String()),
    }),
  ),
  ...PageFields,
})

export function toCardView(view: { stored: StoredCard; own: boolean; isActive: boolean }) {
  const { stored, own } = view
  return {
    card_id: stored.cardId,
    agent_id: stored.agentId,
    version: stored.version,
    is_active: view.isActive,
    card_json: plain(stored.card),
    ...(own
      ? { conscience_values: [...stored.conscienceValues], created_by: stored.createdBy }
      : {}),
    issued_at: stored.issuedAt.toISOString(),
    created_at: stored.createdAt.toISOString(),
  }
}

/** Each representation has its own ETag, so caches never mix them; If-Match accepts all of them. */
export function toCardTag(view: { stored: StoredCard; own: boolean }, isYaml: boolean): string {
  const form = isYaml ? '-yaml' : '-public'
  return `"v${view.stored.version}${view.own && !isYaml ? '' : form}"`
}

export function toCardChanged(change: CardChange) {
  return {
    updated: change.updated,
    card_id: change.stored.cardId,
    version: change.stored.version,
    amendment_ids: [...change.amendmentIds],
    warnings: [...change.warnings],
    card: plain(change.stored.card),
  }
}

export function toCardHistory(page: Page<StoredCard>, activeVersion: number) {
  return {
    versions: page.items.map((stored) => ({
      version: stored.version,
      card_id: stored.cardId,
      is_active: stored.version === activeVersion,
      issued_at: stored.issuedAt.toISOString(),
      created_at: stored.createdAt.toISOString(),
      created_by: stored.createdBy,
      reason: stored.reason,
      changed_fields: [...stored.changedFields],
    })),
    ...toPageFields(page),
  }
}

/** A mutable copy: the card is sent as the document that was stored. */
function plain(card: object): Record<string, unknown> {
  return { ...card }
}
