import { roundTo } from '../base/rounding.ts'
import type { PolicyCard, PolicyRules } from './policy.ts'

/** Which of a card's actions a policy maps to tools. */
export type Coverage = {
  total_card_actions: number
  mapped_card_actions: readonly string[]
  unmapped_card_actions: readonly string[]
  coverage_pct: number
}

/**
 * Actions in the order of the card. Without a card nothing is covered; an empty card is fully
 * covered.
 */
export function coverageOf(
  { capability_mappings }: PolicyRules,
  card: PolicyCard | undefined,
): Coverage {
  const mappable = new Set(Object.values(capability_mappings).flatMap((m) => m.card_actions))
  const actions = [...new Set(card?.autonomy_envelope.bounded_actions)]
  const mapped = actions.filter((action) => mappable.has(action))
  return {
    total_card_actions: actions.length,
    mapped_card_actions: mapped,
    unmapped_card_actions: actions.filter((action) => !mappable.has(action)),
    coverage_pct: card === undefined ? 0 : percentage(mapped.length, actions.length),
  }
}

function percentage(part: number, whole: number): number {
  return whole === 0 ? 100 : roundTo((100 * part) / whole, 2)
}
