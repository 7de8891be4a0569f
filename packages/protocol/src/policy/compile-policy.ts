import { type ApprovalRule, approvalRuleOf } from './approval-rule.ts'
import { type CompiledSessionRules, compileSessionRules } from './compile-session-rules.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { type CompiledModelLimit, compileModelLimits } from './model-limits.ts'
import { createPatternIndex, type PatternIndex } from './pattern-index.ts'
import {
  type CapabilityMapping,
  type CompleteTrigger,
  type ForbiddenRule,
  isBlocking,
  type MergedPolicy,
  type PolicyCard,
  type PolicyDefaults,
  type PolicyRules,
} from './policy.ts'
import { type PolicyCondition, readPolicyCondition } from './policy-condition.ts'

/**
 * A policy and a card compiled for many evaluations: everything that does not depend on the call is
 * computed here, once per pair of versions.
 */
export type CompiledPolicy = {
  defaults: Readonly<PolicyDefaults>
  coverage: Coverage
  forbidden: readonly CompiledRule[]
  /** Finds indices into `forbidden`. */
  forbiddenIndex: PatternIndex
  /** Best choice first, for tools that several capabilities map. */
  capabilities: readonly CompiledCapability[]
  /** Finds indices into `capabilities`. */
  mappingIndex: PatternIndex
  toolTriggers: readonly CompiledTrigger[]
  callTriggers: readonly CompiledTrigger[]
  /** Undefined if there are no rules over a session. */
  sessionRules: CompiledSessionRules | undefined
  modelLimits: readonly CompiledModelLimit[]
}

export type CompiledRule = ForbiddenRule & { blocking: boolean }

export type CompiledCapability = {
  name: string
  /** Required actions that the card does not grant; empty without a card. */
  missing: readonly string[]
  /** The part of them that the card forbids. */
  refused: readonly string[]
  reason: string
}

export type CompiledTrigger = Omit<CompleteTrigger, 'approval'> & {
  approval: ApprovalRule
  holds: PolicyCondition['holds']
}

export type CompileInput = {
  policy: MergedPolicy
  card?: PolicyCard | undefined
  /** The policy from which coverage is computed if a transaction narrows it. */
  unnarrowed?: PolicyRules | undefined
}

export function compilePolicy({ policy, card, unnarrowed = policy }: CompileInput): CompiledPolicy {
  const { forbidden, defaults } = policy
  const ranked = rankedCapabilities(policy, card)
  const triggers = policy.escalation_triggers.map((of) => compileTrigger(of, defaults))
  return {
    defaults,
    coverage: coverageOf(unnarrowed, card),
    forbidden: forbidden.map((rule) => ({ ...rule, blocking: isBlocking(rule.severity) })),
    forbiddenIndex: createPatternIndex(forbidden.map(({ pattern }, id) => ({ pattern, id }))),
    capabilities: ranked.map(({ capability }) => capability),
    mappingIndex: createPatternIndex(
      ranked.flatMap(({ tools }, id) => tools.map((pattern) => ({ pattern, id }))),
    ),
    toolTriggers: triggers.filter(({ perTool }) => perTool),
    callTriggers: triggers.filter(({ perTool }) => !perTool),
    sessionRules: compileSessionRules(policy),
    modelLimits: compileModelLimits(policy.model_limits),
  }
}

/** Fewest missing actions first, then by name, so that the first match for a tool is the choice. */
function rankedCapabilities(policy: PolicyRules, card: PolicyCard | undefined) {
  const judge = card === undefined ? () => ({ missing: [], refused: [] }) : judgeBy(card)
  return Object.entries(policy.capability_mappings)
    .map(([name, mapping]) => {
      const judged = judge(mapping)
      return { capability: { name, ...judged, reason: reasonOf(judged) }, tools: mapping.tools }
    })
    .sort(({ capability: a }, { capability: b }) => {
      // Names are ASCII, so their code units are in code point order.
      return a.missing.length - b.missing.length || (a.name < b.name ? -1 : 1)
    })
}

type Judged = Pick<CompiledCapability, 'missing' | 'refused'>

function judgeBy({ autonomy_envelope }: PolicyCard): (mapping: CapabilityMapping) => Judged {
  const refused = new Set(autonomy_envelope.forbidden_actions)
  const bounded = new Set(autonomy_envelope.bounded_actions)
  const isGranted = (action: string) => bounded.has(action) && !refused.has(action)
  return ({ card_actions }) => {
    const missing = card_actions.filter((action) => !isGranted(action))
    return { missing, refused: missing.filter((action) => refused.has(action)) }
  }
}

const NAMED_MAX = 3

function reasonOf({ missing, refused }: Judged): string {
  return refused.length > 0
    ? `The card forbids ${named(refused)}`
    : `The card does not grant ${named(missing)}`
}

/**
 * Lists only some names: a capability can have a hundred, and its reason is repeated for each tool.
 */
function named(actions: readonly string[]): string {
  const more = actions.length - NAMED_MAX
  return `${actions.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function compileTrigger(trigger: CompleteTrigger, defaults: PolicyDefaults) {
  const reading = readPolicyCondition(trigger.condition)
  // INVARIANT: a policy and its conditions are validated before it is stored.
  if (!reading.valid) throw new Error(`Policy condition ${trigger.condition} ${reading.reason}`)
  const approval = approvalRuleOf(trigger.approval ?? defaults.approval)
  return { ...trigger, approval, ...reading.condition }
}
