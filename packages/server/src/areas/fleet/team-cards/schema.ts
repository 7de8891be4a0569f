import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import {
  Nullable,
  PageFields,
  type PageLimits,
  pageQuery,
  toPageFields,
} from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { Derivation, TeamCardSubmission } from './service.ts'
import {
  CARD_SOURCES,
  COORDINATION_MODES,
  type ListedTeamCard,
  type StoredTeamCard,
} from './team-card.ts'

/** spec: fleet §3. */
export const CARD_PAGES: PageLimits = { perPageDefault: 50, perPageMax: 200 }

export const CardHistoryQuery = Type.Object({
  ...pageQuery(CARD_PAGES).properties,
  include: Type.Optional(Type.Literal('card_json')),
})

export const DeriveQuery = Type.Object({
  preview: Type.Optional(Type.Boolean({ description: 'true: store nothing' })),
})

/** Not validated here: card validation reports findings, as with agents' cards. */
const Block = Type.Record(Type.String(), Type.Unknown())

export const TeamCardBody = NamedObject('TeamCardChange', {
  principal: Block,
  values: Block,
  autonomy_envelope: Block,
  audit_commitment: Block,
  extensions: Type.Optional(Block),
  team_mission: Type.Optional(Type.String({ maxLength: 500 })),
  coordination_mode: Type.Optional(NamedEnum('TeamCoordinationMode', [...COORDINATION_MODES])),
  member_requirements: Type.Optional(
    Type.Object({
      required_values: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 50 }),
      ),
      min_retention_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
    }),
  ),
  card_source: Type.Optional(Type.Enum(['manual', 'hybrid'], { default: 'manual' })),
})

const Card = Type.Record(Type.String(), Type.Unknown(), {
  title: 'TeamCardJson',
  description: 'An alignment card with the additional fields of a team',
})
const Source = NamedEnum('TeamCardSource', [...CARD_SOURCES])

export const TeamCardView = Nullable(
  NamedObject('TeamCard', {
    card_id: Type.String(),
    team_id: Type.String(),
    version: Type.Integer(),
    card_json: Card,
    card_source: Source,
    issued_at: Type.String(),
    is_active: Type.Boolean(),
  }),
  { description: 'The active team card, or null' },
)

export const TeamCardSaved = NamedObject(
  'SavedTeamCard',
  {
    card_id: Type.String(),
    team_id: Type.String(),
    version: Type.Integer(),
    card_source: Source,
    issued_at: Type.String(),
  },
  { description: 'The stored team card' },
)

export const TeamCardDerived = NamedObject('DerivedTeamCard', {
  derived_card: Card,
  card_source: Type.Literal('auto_derived'),
  member_count: Type.Integer(),
  members_with_cards: Type.Integer(),
  version: Nullable(Type.Integer()),
  changed: Type.Boolean(),
  dropped_conflicts: Type.Array(Type.String()),
})

export const TeamCardHistory = NamedObject('TeamCardVersionPage', {
  cards: Type.Array(
    NamedObject('TeamCardVersion', {
      card_id: Type.String(),
      version: Type.Integer(),
      card_source: Source,
      issued_at: Type.String(),
      is_active: Type.Boolean(),
      actor_id: Type.String(),
      card_json: Type.Optional(Card),
    }),
  ),
  ...PageFields,
})

export function toSubmission(body: Static<typeof TeamCardBody>): TeamCardSubmission {
  const { principal, values, autonomy_envelope, audit_commitment, extensions } = body
  const { team_mission, coordination_mode, member_requirements } = body
  return {
    blocks: {
      principal,
      values,
      autonomy_envelope,
      audit_commitment,
      ...(extensions === undefined ? {} : { extensions }),
    },
    extras: {
      ...(team_mission === undefined ? {} : { team_mission }),
      ...(coordination_mode === undefined ? {} : { coordination_mode }),
      ...(member_requirements === undefined ? {} : { member_requirements }),
    },
    source: body.card_source ?? 'manual',
  }
}

export function toTeamCard(stored: StoredTeamCard) {
  return { ...toTeamCardSaved(stored), card_json: stored.card, is_active: true }
}

export function toTeamCardSaved(stored: StoredTeamCard): Static<typeof TeamCardSaved> {
  return {
    card_id: stored.cardId,
    team_id: stored.teamId,
    version: stored.version,
    card_source: stored.source,
    issued_at: stored.issuedAt.toISOString(),
  }
}

export function toTeamCardDerived(derivation: Derivation): Static<typeof TeamCardDerived> {
  return {
    derived_card: derivation.card,
    card_source: 'auto_derived',
    member_count: derivation.memberCount,
    members_with_cards: derivation.membersWithCards,
    version: derivation.version ?? null,
    changed: derivation.changed,
    dropped_conflicts: [...derivation.droppedConflicts],
  }
}

export function toTeamCardHistory(page: Page<ListedTeamCard>): Static<typeof TeamCardHistory> {
  return {
    cards: page.items.map((stored) => ({
      card_id: stored.cardId,
      version: stored.version,
      card_source: stored.source,
      issued_at: stored.issuedAt.toISOString(),
      // Versions have no gaps, so the number of the newest is the total.
      is_active: stored.version === page.total,
      actor_id: stored.actorId,
      ...(stored.card === undefined ? {} : { card_json: stored.card }),
    })),
    ...toPageFields(page),
  }
}
