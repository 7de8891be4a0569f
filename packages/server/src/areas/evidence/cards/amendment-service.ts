import type { AlignmentCard, EffectiveValue } from '@touchstone/protocol/cards'
import type { Db } from '../../../kernel/db.ts'
import { createAmendmentStore } from './amendment-store.ts'
import { effectiveCard, effectiveValues, type Layer } from './effective-card.ts'
import { createCardStore } from './store.ts'

type ComposedCard = { card: AlignmentCard; values: readonly EffectiveValue[] }

/** An amendment with the cards before and after it and the active one. */
export type AmendmentInContext = {
  field: string
  createdAt: Date
  before: ComposedCard
  after: ComposedCard
  active: ComposedCard
}

/**
 * Composes all three cards with what the organisation requires now, because those requirements have
 * no history. Undefined if the agent has no such amendment.
 */
export async function findAmendment(
  db: Db,
  wanted: { agentId: string; amendmentId: string; activeVersion: number },
  layer: Layer,
): Promise<AmendmentInContext | undefined> {
  const { agentId, amendmentId, activeVersion } = wanted
  const amendment = await createAmendmentStore(db).find(agentId, amendmentId)
  if (amendment === undefined) return undefined
  const cards = createCardStore(db)
  const versionOf = async (version: number): Promise<ComposedCard> => {
    const stored = await cards.find(agentId, version)
    if (stored === undefined) throw new Error(`agent ${agentId} has no card ${version}`)
    return {
      card: effectiveCard(layer, stored.card),
      values: effectiveValues(layer, stored.conscienceValues),
    }
  }
  return {
    field: amendment.field,
    createdAt: amendment.createdAt,
    before: await versionOf(amendment.fromVersion),
    after: await versionOf(amendment.toVersion),
    active: await versionOf(activeVersion),
  }
}
