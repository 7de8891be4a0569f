import type { FaultLine, Forecast, Recommendation } from '@touchstone/protocol/intelligence'

export const ITEM_TYPES = ['fault_lines', 'forecast', 'recommendation'] as const
export type ItemType = (typeof ITEM_TYPES)[number]

/** Whoever said it: a computation from cards, a language model, or the rules in its place. */
export type Producer = { kind: 'algorithm' | 'model' | 'rules'; name: string; version: string }

export const FALLBACK_REASONS = [
  ...(['timeout', 'http_error', 'invalid_output', 'invalid_policy'] as const),
] as const
export type FallbackReason = (typeof FALLBACK_REASONS)[number]

export const ALGORITHM: Producer = {
  kind: 'algorithm',
  name: 'touchstone-fault-lines',
  version: 'fault-lines-1',
}
export const RULES: Producer = { kind: 'rules', name: 'touchstone-rules', version: 'rules-1' }

export type Analysis = {
  /** Members with a card, and those without; both by id. */
  agentIds: readonly string[]
  agentsWithoutCard: readonly string[]
  fleetScoreE4: number
  lines: readonly FaultLine[]
}

type Kept<Type extends ItemType, Content> = {
  type: Type
  itemId: string
  orgId: string
  teamId: string
  /** That it rests on; its own id where it is one. */
  analysisId: string
  producedBy: Producer
  /** Why the rules answered though there is a model. */
  fallbackReason: FallbackReason | null
  content: Content
  createdAt: Date
}

export type AnalysisItem = Kept<'fault_lines', Analysis>
export type ForecastItem = Kept<'forecast', Forecast>
export type RecommendationItem = Kept<'recommendation', Recommendation>
export type Item = AnalysisItem | ForecastItem | RecommendationItem

export type ListedItem = Pick<Item, 'itemId' | 'type' | 'createdAt' | 'producedBy'>

/** What the rules of forecasts ask of an analysis. */
export function forecastInput({ agentIds, agentsWithoutCard, fleetScoreE4, lines }: Analysis) {
  const memberCount = agentIds.length + agentsWithoutCard.length
  return { agentIds, fleetScoreE4, lines, memberCount }
}

/** More text than this is no use to anybody, and a burden to whoever writes it out. */
export const ANALYSIS_CHARACTERS_MAX = 8_000_000

/** How long the lists of an analysis are, about. Several lines may share one list. */
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
