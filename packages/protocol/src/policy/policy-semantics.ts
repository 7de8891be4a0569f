import { pointer, type Shape } from '../base/shape.ts'
import { conditionKey } from './condition-syntax.ts'
import { weakerDefaults } from './merge-rules.ts'
import { createPatternIndex } from './pattern-index.ts'
import { type ForbiddenRule, isBlocking, type PolicyCard, type PolicyRules } from './policy.ts'
import { readPolicyCondition } from './policy-condition.ts'
import { checkSessionRules, warnOfApprovals } from './session-semantics.ts'
import type { Effort } from './wildcard-glob.ts'

/**
 * The effort limit for comparing the patterns of a document with each other. It lets the maximum
 * number of rules skip the maximum number of tools, and takes about a tenth of a second. Only
 * patterns made to be slow need more: a rule is skipped if it starts or ends with different text
 * than a tool, or has letters that the tool lacks.
 */
export const PATTERN_EFFORT = 24_000_000

/**
 * Finds faults in a document whose every part is well-formed. Returns false if its patterns take
 * too long to compare, so that there may be more faults.
 */
export function checkSemantics(shape: Shape, policy: PolicyRules): boolean {
  checkRulesOnce(shape, policy)
  const isComplete = checkConflicts(shape, policy)
  checkConditions(shape, policy)
  checkSessionRules(shape, policy)
  return isComplete
}

function checkRulesOnce(shape: Shape, { forbidden }: PolicyRules): void {
  const seen = new Set<string>()
  for (const [index, { pattern }] of forbidden.entries()) {
    const message = `"${pattern}" already has a rule`
    if (seen.has(pattern)) shape.fail(`/forbidden/${index}/pattern`, 'duplicate_rule', message)
    seen.add(pattern)
  }
}

/** A tool that the same document both maps and blocks is ambiguous, so the author must decide. */
function checkConflicts(shape: Shape, policy: PolicyRules): boolean {
  const effort = { left: PATTERN_EFFORT }
  eachCovered({ policy, forbidden: policy.forbidden, effort }, ({ path, pattern, rule }) => {
    const message = `"${pattern}" is mapped but also blocked by "${rule.pattern}"`
    shape.fail(path, 'conflicting_rules', message)
  })
  if (effort.left >= 0) return true
  const message = 'has too many wildcards to compare with the mapped tools; use fewer wildcards'
  shape.fail('/forbidden', 'too_large', message)
  return false
}

function checkConditions(shape: Shape, { escalation_triggers }: PolicyRules): void {
  const seen = new Set<string>()
  for (const [index, { condition }] of escalation_triggers.entries()) {
    const path = `/escalation_triggers/${index}/condition`
    const reading = readPolicyCondition(condition)
    if (!reading.valid) {
      shape.fail(path, 'invalid_condition', reading.reason)
      continue
    }
    const key = conditionKey(condition)
    if (seen.has(key))
      shape.fail(path, 'conflicting_triggers', 'repeats the condition of an earlier trigger')
    seen.add(key)
  }
}

/** Warnings for parts that are not wrong, but have less effect than the author may expect. */
export function warnOfGaps(
  shape: Shape,
  policy: PolicyRules,
  context: { card?: PolicyCard | undefined; org?: PolicyRules | undefined },
): void {
  const { card, org } = context
  if (card !== undefined) warnOfCard(shape, policy, card)
  if (org === undefined) return
  const effort = { left: PATTERN_EFFORT }
  eachCovered({ policy, forbidden: org.forbidden, effort }, ({ path, pattern, rule }) => {
    const message = `"${pattern}" is blocked by the organisation's rule "${rule.pattern}"`
    shape.warn(path, 'shadowed_mapping', message)
  })
  if (effort.left < 0) shape.warn('/capability_mappings', 'not_compared', NOT_COMPARED)
  warnOfDefaults(shape, policy, org)
  warnOfApprovals(shape, policy, org)
}

function warnOfCard(
  shape: Shape,
  { capability_mappings }: PolicyRules,
  { autonomy_envelope }: PolicyCard,
): void {
  const bounded = new Set(autonomy_envelope.bounded_actions)
  const forbidden = new Set(autonomy_envelope.forbidden_actions)
  for (const [name, { card_actions }] of Object.entries(capability_mappings)) {
    const path = `${pointer('/capability_mappings', name)}/card_actions`
    for (const [index, action] of card_actions.entries()) {
      if (bounded.has(action)) continue
      const why = forbidden.has(action)
        ? 'is forbidden by the card, which blocks the tools that need it'
        : 'is not in the card'
      shape.warn(pointer(path, index), 'unknown_card_action', `"${action}" ${why}`)
    }
  }
}

function warnOfDefaults(shape: Shape, policy: PolicyRules, org: PolicyRules): void {
  for (const name of weakerDefaults({ lower: org.defaults, upper: policy.defaults })) {
    const message = `is weaker than the organisation's ${JSON.stringify(org.defaults[name])}`
    shape.warn(pointer('/defaults', name), 'ineffective_default', message)
  }
}

/** Reported in place of findings that may be missing. */
export const NOT_COMPARED =
  'has too many wildcards to compare all patterns; use fewer wildcards to see every overlap'

type Covered = { path: string; pattern: string; rule: ForbiddenRule }

/** The mapped tool patterns that a blocking rule covers, each with the first such rule. */
function eachCovered(
  {
    policy: { capability_mappings },
    forbidden,
    effort,
  }: { policy: PolicyRules; forbidden: readonly ForbiddenRule[]; effort: Effort },
  tell: (covered: Covered) => void,
): void {
  const blocking = forbidden.filter(({ severity }) => isBlocking(severity))
  const index = createPatternIndex(blocking.map(({ pattern }, id) => ({ pattern, id })))
  for (const [name, { tools }] of Object.entries(capability_mappings)) {
    const path = `${pointer('/capability_mappings', name)}/tools`
    for (const [at, pattern] of tools.entries()) {
      const rule = blocking[index.covering(pattern, effort)[0] ?? -1]
      if (rule !== undefined) tell({ path: pointer(path, at), pattern, rule })
    }
  }
}
