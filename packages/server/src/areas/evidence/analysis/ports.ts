import type { AlignmentCard, EffectiveValue } from '@touchstone/protocol/cards'

/** A version of the card of one of the organisation's agents. */
export type CardVersion = { orgId: string; agentId: string; version: number }

export type Cards = {
  /** Cached. Changes whenever the organisation changes the rules it layers over the card. */
  layerStamp(card: CardVersion): Promise<string>
  /** The composed card in force, its values in resolution order, and the stamp of its layers. */
  forAnalysis(card: CardVersion): Promise<{
    cardId: string
    card: AlignmentCard
    values: readonly EffectiveValue[]
    layerStamp: string
  }>
}
