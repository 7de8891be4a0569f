import type { ApprovalBlock } from './approval-rule.ts'

/** Rules over the calls of a session; documents of schema version 1.1 (spec: decisions §9). */

export const LIMIT_PERIODS = ['session', 'minute', 'hour', 'day'] as const
export const LIMIT_ACTIONS = ['warn', 'escalate', 'block'] as const
export const FLOW_ACTIONS = ['escalate', 'block'] as const

/** At most `max` of the calls that match are let through per period. */
export type PolicyLimit = {
  name: string
  /** Patterns over tool names. */
  tools: readonly string[]
  max: number
  per: (typeof LIMIT_PERIODS)[number]
  action: (typeof LIMIT_ACTIONS)[number]
  reason: string
  approval?: ApprovalBlock
}

/** After a `from` tool was let through, the `to` tools of the session are stopped. */
export type PolicyFlow = {
  name: string
  from: readonly string[]
  to: readonly string[]
  action: (typeof FLOW_ACTIONS)[number]
  reason: string
  approval?: ApprovalBlock
}

export const MODEL_LIMIT_PERIODS = ['hour', 'day', 'month'] as const
export const MODEL_LIMIT_ACTIONS = ['warn', 'block'] as const

/**
 * A budget at model providers: counted after each turn of a model that matches, judged before the next
 * (spec: model-gateway §4).
 */
export type ModelLimit = {
  name: string
  /** Patterns over the names of models. */
  models: readonly string[]
  /** Input and output together; at least one of the two is set. */
  max_tokens?: number
  max_turns?: number
  /** Windows of UTC. */
  per: (typeof MODEL_LIMIT_PERIODS)[number]
  action: (typeof MODEL_LIMIT_ACTIONS)[number]
}

/** `org`, `agent`, `team:<id>` or `transaction:<id>`: names are unique only within a layer. */
export type LayerName = string

export type LayeredLimit = PolicyLimit & { layer: LayerName }
export type LayeredFlow = PolicyFlow & { layer: LayerName }
export type LayeredModelLimit = ModelLimit & { layer: LayerName }

export type SessionRules = {
  limits?: readonly PolicyLimit[]
  flows?: readonly PolicyFlow[]
  model_limits?: readonly ModelLimit[]
}

export type LayeredSessionRules = {
  limits?: readonly LayeredLimit[]
  flows?: readonly LayeredFlow[]
  model_limits?: readonly LayeredModelLimit[]
}

/** Names the layer of each rule that has none. Sections without rules are left out. */
export function withLayer(rules: SessionRules, layer: LayerName): LayeredSessionRules {
  const { limits = [], flows = [], model_limits: budgets = [] } = rules
  return nonEmpty({
    limits: limits.map((limit) => ({ layer, ...limit })),
    flows: flows.map((flow) => ({ layer, ...flow })),
    model_limits: budgets.map((limit) => ({ layer, ...limit })),
  })
}

/** The rules of all layers hold side by side. */
export function joinSessionRules(
  lower: LayeredSessionRules,
  upper: LayeredSessionRules,
): LayeredSessionRules {
  return nonEmpty({
    limits: [...(lower.limits ?? []), ...(upper.limits ?? [])],
    flows: [...(lower.flows ?? []), ...(upper.flows ?? [])],
    model_limits: [...(lower.model_limits ?? []), ...(upper.model_limits ?? [])],
  })
}

function nonEmpty({
  limits,
  flows,
  model_limits,
}: Required<LayeredSessionRules>): LayeredSessionRules {
  return {
    ...(limits.length > 0 ? { limits } : {}),
    ...(flows.length > 0 ? { flows } : {}),
    ...(model_limits.length > 0 ? { model_limits } : {}),
  }
}
