import { Type } from 'typebox'
import { PageFields, PageQuery } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { CardChange } from './service.ts'
import type { StoredCard } from './store.ts'

/** What a card must look like is told by its validation, code by code; see the concept page. */
const Card = Type.Record(Type.String(), Type.Unknown(), {
  description: 'An alignment card, aap_version 0.5.0 or 0.1.0.',
})
const ConscienceValues = Type.Array(Type.Unknown())

export const CardBody = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The card itself, or {card_json, conscience_values?, reason?}; JSON, or YAML by content type.',
})

export const CardPatch = Type.Object({
  card_json: Type.Optional(Card),
  conscience_values: Type.Optional(ConscienceValues),
  reason: Type.Optional(Type.String({ maxLength: 500 })),
})

export const CardQuery = Type.Object({
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  effective: Type.Optional(
    Type.Boolean({ description: 'for the owning organisation: the composed card' }),
  ),
})

export const CardView = Type.Object({
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
  Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() }),
)

export const CardChanged = Type.Object({
  updated: Type.Boolean(),
  card_id: Type.String(),
  version: Type.Integer(),
  amendment_ids: Type.Array(Type.String()),
  warnings: Findings,
  card: Card,
})

export const CardVerdict = Type.Object({
  valid: Type.Boolean(),
  errors: Findings,
  warnings: Findings,
})

export const HistoryQuery = PageQuery

export const CardHistory = Type.Object({
  versions: Type.Array(
    Type.Object({
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

/** Each form has a tag of its own, so that none is taken for another; If-Match takes all. */
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
    total: page.total,
    page: page.page,
    per_page: page.perPage,
  }
}

/** On the wire a card is the document it is. */
function plain(card: object): Record<string, unknown> {
  return { ...card }
}
