import type { FaultLine, Forecast, Recommendation } from '@touchstone/protocol/intelligence'

export const ITEM_TYPES = ['fault_lines', 'forecast', 'recommendation'] as const
export type ItemType = (typeof ITEM_TYPES)[number]

/** The source of an item: the fault line algorithm, a language model, or the rules as a fallback. */
export type Producer = { kind: 'algorithm' | 'model' | 'rules'; name: string; version: string }

export const FALLBACK_REASONS = [
  'timeout',
  'http_error',
  'invalid_output',
  'invalid_policy',
] as const
export type FallbackReason = (typeof FALLBACK_REASONS)[number]

export const ALGORITHM: Producer = {
  kind: 'algorithm',
  name: 'touchstone-fault-lines',
  version: 'fault-lines-1',
}
export const RULES: Producer = { kind: 'rules', name: 'touchstone-rules', version: 'rules-1' }

export type Analysis = {
  /** Members with and without a card, each in ascending order. */
  agentIds: readonly string[]
  agentsWithoutCard: readonly string[]
  fleetScoreE4: number
  lines: readonly FaultLine[]
}

type StoredItem<Type extends ItemType, Content> = {
  type: Type
  itemId: string
  orgId: string
  teamId: string
  /** The analysis that the item is based on; an analysis has its own id here. */
  analysisId: string
  producedBy: Producer
  /** Why the rules were used although a model is configured. */
  fallbackReason: FallbackReason | null
  content: Content
  createdAt: Date
}

export type AnalysisItem = StoredItem<'fault_lines', Analysis>
export type ForecastItem = StoredItem<'forecast', Forecast>
export type RecommendationItem = StoredItem<'recommendation', Recommendation>
export type Item = AnalysisItem | ForecastItem | RecommendationItem

export type ListedItem = Pick<Item, 'itemId' | 'type' | 'createdAt' | 'producedBy'>

/** The input of a forecast by rules. */
export function forecastInput({ agentIds, agentsWithoutCard, fleetScoreE4, lines }: Analysis) {
  const memberCount = agentIds.length + agentsWithoutCard.length
  return { agentIds, fleetScoreE4, lines, memberCount }
}

/** A larger analysis is useless to readers and expensive to serialise. */
export const ANALYSIS_CHARACTERS_MAX = 8_000_000

/** Estimates the length of an analysis as JSON. Memoised by list, which several lines may share. */
export function lengthOf({ lines }: Pick<Analysis, 'lines'>): number {
  const known = new Map<readonly string[], number>()
  const lengthOfList = (names: readonly string[]): number => {
    const length = known.get(names) ?? names.reduce((sum, name) => sum + name.length + 3, 2)
    known.set(names, length)
    return length
  }
  return lines.reduce((sum, line) => {
    const lists = [line.declaring, line.missing, line.conflicting, line.affectsCapabilities]
    return sum + line.resolutionHint.length + lists.reduce((all, one) => all + lengthOfList(one), 0)
  }, 0)
}
