import { canonicalJson } from '@touchstone/protocol/base'
import type { AlignmentCard } from '@touchstone/protocol/cards'

export const CARD_SOURCES = ['manual', 'auto_derived', 'hybrid'] as const
export type CardSource = (typeof CARD_SOURCES)[number]

export const COORDINATION_MODES = ['collaborative', 'hierarchical', 'autonomous'] as const

/** What a team says of itself beyond what an agent does. */
export type TeamExtras = {
  team_mission?: string
  coordination_mode?: (typeof COORDINATION_MODES)[number]
  member_requirements?: { required_values?: string[]; min_retention_days?: number }
}

export type TeamCard = AlignmentCard & TeamExtras

/** Cards are large; a list has them only on demand. */
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

/** But for what each version has of its own. */
export function sameTeamCard(a: TeamCard, b: TeamCard): boolean {
  const { card_id: _, issued_at: __, ...one } = a
  const { card_id: ___, issued_at: ____, ...other } = b
  return canonicalJson(one) === canonicalJson(other)
}

/** A hybrid card is a derived one with another hand in it. */
export function mayBecomeHybrid(active: Pick<StoredTeamCard, 'source'> | undefined): boolean {
  return active !== undefined && active.source !== 'manual'
}
