import { canonicalJson } from '../base/canonical-json.ts'
import { type AlignmentCard, defaultCard } from './card.ts'

/**
 * Whether the card is the default card that the service generates for an agent without one. It
 * declares nothing, so policies do not check it (spec: governance §2.1).
 */
export function isGeneratedCard(agentId: string, card: AlignmentCard): boolean {
  const { card_id: _, ...content } = card
  return canonicalJson(content) === canonicalJson(defaultCard(agentId, new Date(card.issued_at)))
}
