import { canonicalJson } from '@touchstone/protocol/base'
import { type AlignmentCard, defaultCard } from '@touchstone/protocol/cards'

/**
 * Whether the card says only what the service says of every agent that came without one. Nobody
 * declared anything with it, so no policy is held against it (spec: governance §2.1).
 */
export function isGeneratedCard(agentId: string, card: AlignmentCard): boolean {
  const { card_id: _, ...written } = card
  return canonicalJson(written) === canonicalJson(defaultCard(agentId, new Date(card.issued_at)))
}
