import {
  completed,
  mergeShared,
  type SharedRules,
  schemaVersionOf,
  sharedOf,
} from './merge-rules.ts'
import { createPatternIndex } from './pattern-index.ts'
import {
  type CapabilityMapping,
  isBlocking,
  type MergedPolicy,
  type PolicyRules,
} from './policy.ts'
import type { LayerName } from './session-rules.ts'

/** Both are 422; the problem determines how the message starts. */
export type TransactionFault = {
  tool: string
  problem: 'invalid_tool_reference' | 'policy_merge_conflict'
  message: string
}

export type TransactionLayers = {
  transactionId: string
  resolved?: MergedPolicy | undefined
  /** Ordered by team id. */
  teams: readonly PolicyRules[]
  /** The names of the team layers, by which reports name their limits and flows. */
  teamNames?: readonly LayerName[] | undefined
  /** The policy of the transaction itself. */
  own?: PolicyRules | undefined
  tools: readonly string[]
}

/**
 * A transaction narrows the policy: it names its tools, and a capability remains only if every
 * layer with mappings grants it. The policy is built even if tools have faults, because a later
 * evaluation must not fail on a layer that has changed since.
 */
export function mergeTransaction(layers: TransactionLayers): {
  policy: MergedPolicy
  faults: readonly TransactionFault[]
} {
  const all = [layers.resolved, ...layers.teams, layers.own].filter(isPresent)
  const asked = [...new Set(layers.tools)]
  // A name with wildcards would allow tools that nobody listed.
  const tools = asked.filter((tool) => !isWild(tool))
  const restricting = all
    .filter(({ capability_mappings }) => Object.keys(capability_mappings).length > 0)
    .map((layer) => toLayer(layer, tools))
  const shared = sharedLayers(layers).reduce(
    (lower, upper) => mergeShared({ lower, upper }),
    NOTHING,
  )
  const policy: MergedPolicy = {
    meta: {
      schema_version: schemaVersionOf(shared),
      name: `transaction:${layers.transactionId}`,
      scope: 'transaction',
    },
    capability_mappings: intersection(restricting, tools),
    ...completed(shared),
  }
  return { policy, faults: faultsOf(asked, { policy, restricting }) }
}

const NOTHING: SharedRules = { forbidden: [], escalation_triggers: [], defaults: {} }

function sharedLayers(layers: TransactionLayers): SharedRules[] {
  const { transactionId, resolved, teams, teamNames = [], own } = layers
  return [
    resolved && sharedOf(resolved, 'agent'),
    ...teams.map((team, at) => sharedOf(team, teamNames[at] ?? `team:${at + 1}`)),
    own && sharedOf(own, `transaction:${transactionId}`),
  ].filter(isPresent)
}

function isPresent<Value>(value: Value | undefined): value is Value {
  return value !== undefined
}

function isWild(tool: string): boolean {
  return /[*?]/.test(tool)
}

type Layer = {
  mappings: ReadonlyMap<string, CapabilityMapping>
  /** For each capability, the transaction's tools that it maps. */
  toolsOf: ReadonlyMap<string, ReadonlySet<string>>
}

function toLayer({ capability_mappings }: PolicyRules, tools: readonly string[]): Layer {
  const mappings = new Map(Object.entries(capability_mappings))
  const names = [...mappings.keys()]
  const index = createPatternIndex(
    [...mappings.values()].flatMap((mapping, id) =>
      mapping.tools.map((pattern) => ({ pattern, id })),
    ),
  )
  const toolsOf = new Map(names.map((name) => [name, new Set<string>()]))
  for (const tool of tools) {
    for (const id of index.matching(tool)) toolsOf.get(names[id] ?? '')?.add(tool)
  }
  return { mappings, toolsOf }
}

function intersection(
  layers: readonly Layer[],
  tools: readonly string[],
): Record<string, CapabilityMapping> {
  const [first] = layers
  const survivors = [...(first?.mappings ?? [])].flatMap(([name, mapping]) => {
    const common = tools.filter((tool) =>
      layers.every(({ toolsOf }) => toolsOf.get(name)?.has(tool)),
    )
    const granted = layers.map(({ mappings }) => new Set(mappings.get(name)?.card_actions))
    const actions = mapping.card_actions.filter((action) =>
      granted.every((actionsOf) => actionsOf.has(action)),
    )
    if (common.length === 0 || actions.length === 0) return []
    return [[name, { ...mapping, tools: common, card_actions: actions }] as const]
  })
  return Object.fromEntries(survivors)
}

function faultsOf(
  tools: readonly string[],
  { policy, restricting }: { policy: MergedPolicy; restricting: readonly Layer[] },
): TransactionFault[] {
  const surviving = new Set(Object.values(policy.capability_mappings).flatMap(({ tools: t }) => t))
  const blocking = createPatternIndex(
    policy.forbidden
      .filter(({ severity }) => isBlocking(severity))
      .map(({ pattern }, id) => ({ pattern, id })),
  )
  const isMapped = (tool: string) =>
    restricting.some(({ toolsOf }) => [...toolsOf.values()].some((mapped) => mapped.has(tool)))
  const faultOf = (tool: string): TransactionFault | undefined => {
    if (isWild(tool)) return invalid(tool, 'a tool must be named in full')
    if (blocking.matching(tool).length > 0) return conflict(tool, 'a rule forbids it')
    if (surviving.has(tool)) return undefined
    if (isMapped(tool)) return conflict(tool, 'no capability maps it in every layer')
    const isRefused = policy.defaults.unmapped_tool_action === 'block'
    return isRefused ? invalid(tool, 'no layer maps it') : undefined
  }
  return tools.map(faultOf).filter(isPresent)
}

function invalid(tool: string, why: string): TransactionFault {
  const message = `invalid tool reference "${tool}": ${why}`
  return { tool, problem: 'invalid_tool_reference', message }
}

function conflict(tool: string, why: string): TransactionFault {
  const message = `policy merge conflict on "${tool}": ${why}`
  return { tool, problem: 'policy_merge_conflict', message }
}
