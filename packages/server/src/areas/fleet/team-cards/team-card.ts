import { canonicalJson } from '@touchstone/protocol/base'
import type { AlignmentCard } from '@touchstone/protocol/cards'

export const CARD_SOURCES = ['manual', 'auto_derived', 'hybrid'] as const
export type CardSource = (typeof CARD_SOURCES)[number]

export const COORDINATION_MODES = ['collaborative', 'hierarchical', 'autonomous'] as const

/** The fields of a team card that an agent's card does not have. */
export type TeamExtras = {
  team_mission?: string
  coordination_mode?: (typeof COORDINATION_MODES)[number]
  member_requirements?: { required_values?: string[]; min_retention_days?: number }
}

export type TeamCard = AlignmentCard & TeamExtras

/** `card` is included only on request, because cards are large. */
export type ListedTeamCard = Omit<StoredTeamCard, 'card'> & { card: TeamCard | undefined }

export type StoredTeamCard = {
  teamId: string
  version: number
  cardId: string
  card: TeamCard
  source: CardSource
  actorId: string
  issuedAt: Date
}

/** Compares cards except for their id and time of issue. */
export function sameTeamCard(a: TeamCard, b: TeamCard): boolean {
  const { card_id: _, issued_at: __, ...one } = a
  const { card_id: ___, issued_at: ____, ...other } = b
  return canonicalJson(one) === canonicalJson(other)
}

/** A hybrid card is a derived card with manual edits. */
export function mayBecomeHybrid(active: Pick<StoredTeamCard, 'source'> | undefined): boolean {
  return active !== undefined && active.source !== 'manual'
}
