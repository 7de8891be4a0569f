import {
  FAILURE_MODES,
  FAULT_LINE_CLASSES,
  isUseful,
  summariseFaultLines,
} from '@touchstone/protocol/intelligence'
import { SEVERITIES } from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { PageFields, PageQuery, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import {
  type AnalysisItem,
  FALLBACK_REASONS,
  type ForecastItem,
  ITEM_TYPES,
  type Item,
  type ListedItem,
  type RecommendationItem,
} from './item.ts'

const Id = Type.String({ minLength: 1, maxLength: 128 })
const Ids = Type.Array(Type.String())
const Level = NamedEnum('Severity', [...SEVERITIES])
const Share = Type.Number({ minimum: 0, maximum: 1 })

export const TeamBody = NamedObject('TeamSelection', { team_id: Id })
export const ForecastBody = NamedObject('ForecastRequest', {
  team_id: Id,
  fault_line_analysis_id: Id,
})

export const ItemParams = Type.Object({ team_id: Type.String(), item_id: Type.String() })
export const ItemQuery = Type.Object({
  type: Type.Optional(NamedEnum('IntelligenceType', [...ITEM_TYPES])),
  ...PageQuery.properties,
})

const ProducedBy = NamedObject(
  'IntelligenceProducer',
  {
    kind: Type.Enum(['algorithm', 'model', 'rules']),
    name: Type.String(),
    version: Type.String(),
  },
  { description: 'What produced the item; items made by rules are never attributed to a model' },
)

const Made = {
  created_at: Type.String(),
  produced_by: ProducedBy,
  fallback_reason: Type.Optional(
    NamedEnum('FallbackReason', [...FALLBACK_REASONS], {
      description: 'Why rules were used although a model is configured',
    }),
  ),
}

const FaultLine = NamedObject('FaultLine', {
  id: Type.String(),
  value: Type.String(),
  classification: NamedEnum('FaultLineClass', [...FAULT_LINE_CLASSES]),
  severity: Level,
  agents_declaring: Ids,
  agents_missing: Ids,
  agents_conflicting: Ids,
  impact_score: Share,
  resolution_hint: Type.String(),
  affects_capabilities: Type.Array(Type.String()),
})

export const Analysis = NamedObject('FaultLineAnalysis', {
  team_id: Type.String(),
  analysis_id: Type.String(),
  fleet_score: Share,
  fault_lines: Type.Array(FaultLine, { description: 'The most severe first' }),
  summary: Type.Object({
    total: Type.Integer(),
    resolvable: Type.Integer(),
    priority_mismatch: Type.Integer(),
    incompatible: Type.Integer(),
    critical_count: Type.Integer(),
  }),
  agents_without_card: Ids,
  ...Made,
})

export const Forecast = NamedObject('TeamForecast', {
  forecast_id: Type.String(),
  fault_line_analysis_id: Type.String(),
  failure_modes: Type.Array(
    NamedObject('FailureMode', {
      mode: NamedEnum('FailureModeName', [...FAILURE_MODES]),
      description: Type.String(),
      probability: Share,
      severity: Level,
      triggered_by: Ids,
      affected_agents: Ids,
      mitigation_available: Type.Boolean(),
    }),
  ),
  overall_risk_level: Level,
  confidence: Share,
  ...Made,
})

export const Recommendation = NamedObject('PolicyRecommendation', {
  recommendation_id: Type.String(),
  policy: Type.Record(Type.String(), Type.Unknown(), {
    description: 'a policy document of scope team; it has no effect until it is stored',
  }),
  reasoning_chain: Type.Array(
    NamedObject('ReasoningStep', {
      step: Type.Integer(),
      action: Type.String(),
      rationale: Type.String(),
      fault_lines_addressed: Ids,
    }),
  ),
  confidence: Share,
  forecast_summary: Type.Object({
    risk_reduction: Type.String(),
    fault_lines_resolved: Type.Integer(),
  }),
  useful: Type.Boolean({
    description: 'false if the policy would resolve no fault line and lower no risk',
  }),
  validation: Type.Object({ valid: Type.Boolean(), errors: Type.Array(Type.String()) }),
  ...Made,
})

export const AnyItem = Type.Union([Analysis, Forecast, Recommendation], {
  title: 'IntelligenceItem',
})

export const ItemPage = NamedObject('IntelligenceSummaryPage', {
  items: Type.Array(
    NamedObject('IntelligenceSummary', {
      id: Type.String(),
      type: NamedEnum('IntelligenceType', [...ITEM_TYPES]),
      created_at: Type.String(),
      produced_by: ProducedBy,
    }),
  ),
  ...PageFields,
})

export function toAnalysis(item: AnalysisItem): Static<typeof Analysis> {
  const { lines, fleetScoreE4, agentsWithoutCard } = item.content
  const { criticalCount, ...counts } = summariseFaultLines(lines)
  return {
    team_id: item.teamId,
    analysis_id: item.itemId,
    fleet_score: toShare(fleetScoreE4),
    fault_lines: lines.map((line) => ({
      id: line.id,
      value: line.value,
      classification: line.classification,
      severity: line.severity,
      agents_declaring: [...line.declaring],
      agents_missing: [...line.missing],
      agents_conflicting: [...line.conflicting],
      impact_score: toShare(line.impactE4),
      resolution_hint: line.resolutionHint,
      affects_capabilities: [...line.affectsCapabilities],
    })),
    summary: { ...counts, critical_count: criticalCount },
    agents_without_card: [...agentsWithoutCard],
    ...toMade(item),
  }
}

export function toForecast(item: ForecastItem): Static<typeof Forecast> {
  const { failureModes, overallRiskLevel, confidenceE4 } = item.content
  return {
    forecast_id: item.itemId,
    fault_line_analysis_id: item.analysisId,
    failure_modes: failureModes.map((mode) => ({
      mode: mode.mode,
      description: mode.description,
      probability: toShare(mode.probabilityE4),
      severity: mode.severity,
      triggered_by: [...mode.triggeredBy],
      affected_agents: [...mode.affectedAgents],
      mitigation_available: mode.mitigationAvailable,
    })),
    overall_risk_level: overallRiskLevel,
    confidence: toShare(confidenceE4),
    ...toMade(item),
  }
}

export function toRecommendation(item: RecommendationItem): Static<typeof Recommendation> {
  const { content } = item
  return {
    recommendation_id: item.itemId,
    policy: content.policy,
    reasoning_chain: content.reasoningChain.map((step, at) => ({
      step: at + 1,
      action: step.action,
      rationale: step.rationale,
      fault_lines_addressed: [...step.faultLinesAddressed],
    })),
    confidence: toShare(content.confidenceE4),
    forecast_summary: {
      risk_reduction: `${content.riskBefore} → ${content.riskAfter}`,
      fault_lines_resolved: content.faultLinesResolved,
    },
    useful: isUseful(content),
    validation: { valid: content.validation.valid, errors: [...content.validation.errors] },
    ...toMade(item),
  }
}

export function toAnyItem(item: Item): Static<typeof AnyItem> {
  switch (item.type) {
    case 'fault_lines':
      return toAnalysis(item)
    case 'forecast':
      return toForecast(item)
    case 'recommendation':
      return toRecommendation(item)
  }
}

export function toItemPage(page: Page<ListedItem>): Static<typeof ItemPage> {
  return {
    items: page.items.map(({ itemId, type, createdAt, producedBy }) => ({
      id: itemId,
      type,
      created_at: createdAt.toISOString(),
      produced_by: producedBy,
    })),
    ...toPageFields(page),
  }
}

function toMade({ createdAt, producedBy, fallbackReason }: Item) {
  return {
    created_at: createdAt.toISOString(),
    produced_by: producedBy,
    ...(fallbackReason !== null && { fallback_reason: fallbackReason }),
  }
}

function toShare(e4: number): number {
  return e4 / 10_000
}
