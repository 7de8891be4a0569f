import { type AlignmentCard, actionName } from '../cards/card.ts'
import { createPatternIndex } from '../policy/pattern-index.ts'
import type {
  CapabilityMapping,
  ForbiddenRule,
  PolicyDefaults,
  PolicyDocument,
  PolicyTrigger,
  Severity,
} from '../policy/policy.ts'
import { PATTERN_EFFORT } from '../policy/policy-semantics.ts'
import {
  CAPABILITIES_MAX,
  CAPABILITY,
  FORBIDDEN_MAX,
  POLICY_NAME_MAX,
  REASON_MAX,
  TOOLS_MAX,
  TRIGGERS_MAX,
} from '../policy/policy-shape.ts'
import { validatePolicy } from '../policy/validate-policy.ts'
import { compareCodePoints } from '../score/directory-order.ts'
import { boundedNames } from './capability-overlap.ts'
import type { FaultLine } from './fault-lines.ts'
import { type ForecastInput, forecastByRules, listed, rulesConfidence } from './forecast.ts'

/**
 * A policy for a team, by rules: actions that a member must not take are forbidden, permitted
 * actions are mapped to the tools that members' own policies map to them, and where members disagree
 * an approval is required. It is the floor for anything that a model adds. INVARIANT: no capability
 * gets a tool that no member's own mapping gave it.
 */

export type ReasoningStep = {
  action: string
  rationale: string
  /** Ids of fault lines. */
  faultLinesAddressed: readonly string[]
}

/** A recommended policy, by rules or by a model. */
export type PolicyDraft = {
  policy: PolicyDocument
  reasoningChain: readonly ReasoningStep[]
  confidenceE4: number
}

export type Recommendation = PolicyDraft & {
  /** Both by the rules, so that they are comparable; afterwards, the addressed lines count half. */
  riskBefore: Severity
  riskAfter: Severity
  faultLinesResolved: number
  validation: { valid: boolean; errors: readonly string[] }
}

export type RecommendationInput = {
  teamName: string
  /** The current active cards of the members. */
  cards: readonly AlignmentCard[]
  memberCount: number
  /** The tools that the members' policies map to each card action. */
  toolsByAction: ReadonlyMap<string, readonly string[]>
  analysis: ForecastInput
  /** The level of the forecast. */
  overallRiskLevel: Severity
}

export function recommendByRules(input: RecommendationInput): PolicyDraft {
  const cards = input.cards.toSorted((a, b) => compareCodePoints(a.agent_id, b.agent_id))
  const forbidding = forbiddenPart(cards)
  const mapping = mappingPart(cards, input.toolsByAction, forbidding)
  const escalating = escalationPart(input.analysis.lines)
  const hasMappings = Object.keys(mapping.mappings).length > 0
  const defaults = defaultsFor(input.overallRiskLevel, hasMappings)
  return {
    policy: {
      meta: {
        schema_version: '1.0',
        name: cut(`Recommended policy for ${input.teamName}`, POLICY_NAME_MAX),
        scope: 'team',
      },
      capability_mappings: mapping.mappings,
      forbidden: forbidding.rules,
      escalation_triggers: escalating.triggers,
      defaults,
    },
    reasoningChain: [
      forbidding.step,
      mapping.step,
      ...escalating.steps,
      defaultsStep(input.overallRiskLevel, defaults, hasMappings),
      SCOPE_STEP,
    ],
    confidenceE4: rulesConfidence(cards.length, input.memberCount),
  }
}

/** Evaluates a draft of the rules or of a model. */
export function judgeDraft(draft: PolicyDraft, input: RecommendationInput): Recommendation {
  const resolved = new Set(draft.reasoningChain.flatMap((step) => step.faultLinesAddressed))
  const { errors } = validatePolicy(draft.policy, { scope: 'team' })
  return {
    ...draft,
    riskBefore: forecastByRules(input.analysis).overallRiskLevel,
    riskAfter: forecastByRules({ ...input.analysis, eased: resolved }).overallRiskLevel,
    faultLinesResolved: resolved.size,
    validation: {
      valid: errors.length === 0,
      errors: errors.map(({ path, message }) => `${path}: ${message}`),
    },
  }
}

/** False if it resolves no fault line and lowers no risk, so that nobody gains by storing it. */
export function isUseful({ faultLinesResolved, riskBefore, riskAfter }: Recommendation): boolean {
  return faultLinesResolved > 0 || riskAfter !== riskBefore
}

function patternsOf(action: string): string[] {
  return [action, `*__${action}`]
}

type ForbiddenPart = { rules: ForbiddenRule[]; actions: ReadonlySet<string>; step: ReasoningStep }

function forbiddenPart(cards: readonly AlignmentCard[]): ForbiddenPart {
  const forbiddenBy = new Map<string, string[]>()
  for (const { agent_id, autonomy_envelope } of cards) {
    const names = (autonomy_envelope.forbidden_actions ?? []).map((entry) => actionName(entry))
    for (const name of new Set(names)) {
      forbiddenBy.set(name, [...(forbiddenBy.get(name) ?? []), agent_id])
    }
  }
  const { usable, others } = sortOut(forbiddenBy.keys())
  const kept = usable.slice(0, FORBIDDEN_MAX / 2)
  const rules = kept.flatMap((action) => {
    const by = (forbiddenBy.get(action) ?? []).join(', ')
    const reason = cut(`Forbidden by the card of ${by}`, REASON_MAX)
    return patternsOf(action).map((pattern) => ({ pattern, reason, severity: 'high' as const }))
  })
  const said = kept.length === 0 ? 'No card forbids anything.' : `Cards forbid ${listed(kept)}.`
  return {
    rules: rules.sort((a, b) => compareCodePoints(a.pattern, b.pattern)),
    actions: new Set(forbiddenBy.keys()),
    step: stepOf('Forbid actions that members must not take', [
      said,
      leftOut(others),
      notFitting(usable, kept),
    ]),
  }
}

function mappingPart(
  cards: readonly AlignmentCard[],
  toolsByAction: RecommendationInput['toolsByAction'],
  forbidding: ForbiddenPart,
) {
  const bounded = new Set(cards.flatMap((card) => [...boundedNames(card)]))
  const allowed = [...bounded].filter((action) => !forbidding.actions.has(action))
  const { usable, others } = sortOut(allowed)
  const isCovered = createCovered(forbidding.rules)
  const named = usable.flatMap((action): [string, CapabilityMapping][] => {
    const tools = new Set(toolsByAction.get(action))
    const free = [...tools].filter((tool) => !isCovered(tool)).sort(compareCodePoints)
    if (free.length === 0) return []
    return [[action, { tools: free.slice(0, TOOLS_MAX), card_actions: [action] }]]
  })
  const kept = named.slice(0, CAPABILITIES_MAX)
  const names = kept.map(([name]) => name)
  const said =
    names.length === 0
      ? "No member's policy maps a tool to a permitted action."
      : `Members may take the actions ${listed(names)}, with the tools that their policies map to them.`
  const rest = notFitting(named, kept)
  return {
    mappings: Object.fromEntries(kept),
    step: stepOf('Map permitted actions to tools', [said, leftOut(others), rest]),
  }
}

/** INVARIANT: the rules are names and suffixes of names, so comparing them is cheap. */
function createCovered(rules: readonly ForbiddenRule[]): (pattern: string) => boolean {
  const index = createPatternIndex(rules.map(({ pattern }, id) => ({ pattern, id })))
  return (pattern) => index.covering(pattern, { left: PATTERN_EFFORT }).length > 0
}

function escalationPart(lines: readonly FaultLine[]) {
  const grave = lines.filter(
    ({ classification, severity }) =>
      classification === 'incompatible' || severity === 'high' || severity === 'critical',
  )
  const { usable } = sortOut(grave.flatMap(({ affectsCapabilities }) => affectsCapabilities))
  const parts = usable.slice(0, TRIGGERS_MAX).map((action) => {
    const own = grave.filter(({ affectsCapabilities }) => affectsCapabilities.includes(action))
    return { action, own, values: listed(own.map(({ value }) => value)) }
  })
  const triggers = parts.map(
    ({ action, values }): PolicyTrigger => ({
      condition: `tool_matches('${action}') or tool_matches('*__${action}')`,
      action: 'escalate',
      reason: cut(`Fault lines on ${values}`, REASON_MAX),
    }),
  )
  const steps = parts.map(({ action, own, values }) => ({
    ...stepOf(`Require approval for ${action}`, [
      `Members that disagree on ${values} may all take the action ${action}.`,
    ]),
    faultLinesAddressed: own.map(({ id }) => id),
  }))
  return { triggers, steps }
}

/** Without mappings every tool is unmapped: blocking them would stop the team. */
function defaultsFor(level: Severity, hasMappings: boolean): PolicyDefaults {
  const isGrave = level === 'high' || level === 'critical'
  return {
    unmapped_tool_action: isGrave && hasMappings ? 'block' : 'warn',
    unmapped_severity: level,
    fail_open: false,
    enforcement_mode: isGrave ? 'enforce' : 'warn',
    grace_period_hours: 24,
  }
}

function defaultsStep(
  level: Severity,
  defaults: PolicyDefaults,
  hasMappings: boolean,
): ReasoningStep {
  const { unmapped_tool_action, enforcement_mode } = defaults
  return stepOf('Set the defaults', [
    `The forecast level is ${level}, so unmapped tools get the action ${unmapped_tool_action} and the policy mode is ${enforcement_mode}.`,
    hasMappings ? '' : 'Map tools before you block unmapped ones.',
  ])
}

const SCOPE_STEP = stepOf('Set the scope to the team', [
  'The scope is the team. The policy takes effect only when somebody stores it.',
])

function stepOf(action: string, sentences: readonly string[]): ReasoningStep {
  const rationale = cut(sentences.filter((sentence) => sentence !== '').join(' '), REASON_MAX)
  return { action, rationale, faultLinesAddressed: [] }
}

/**
 * Splits actions into those a policy can name as capabilities and tools, and the others. Both
 * sorted.
 */
function sortOut(actions: Iterable<string>): { usable: string[]; others: string[] } {
  const sorted = [...new Set(actions)].sort(compareCodePoints)
  return {
    usable: sorted.filter((action) => CAPABILITY.test(action)),
    others: sorted.filter((action) => !CAPABILITY.test(action)),
  }
}

function leftOut(actions: readonly string[]): string {
  if (actions.length === 0) return ''
  return `Omitted, because a policy cannot name them: ${listed(actions.map((name) => JSON.stringify(name)))}.`
}

function notFitting(all: readonly unknown[], kept: readonly unknown[]): string {
  const rest = all.length - kept.length
  return rest === 0 ? '' : `${rest} more did not fit into one policy.`
}

/** Cuts by characters, so that no surrogate pair is split. */
function cut(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : [...text].slice(0, charactersMax).join('')
}
