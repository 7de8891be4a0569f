import { createShape, type Finding, pointer, type Shape } from '../base/shape.ts'
import { lintSessionRules } from './lint-session-rules.ts'
import { createTriggerLint } from './lint-trigger.ts'
import { createPatternIndex } from './pattern-index.ts'
import { type ForbiddenRule, type PolicyRules, SEVERITIES } from './policy.ts'
import { NOT_COMPARED, PATTERN_EFFORT } from './policy-semantics.ts'
import type { Effort } from './wildcard-glob.ts'

/**
 * Finds parts of a valid policy that have no effect, each with a suggestion. Only certain cases are
 * reported: without such a part, every evaluation of the policy has the same verdict.
 */
export function lintPolicy(policy: PolicyRules): readonly Finding[] {
  const shape = createShape()
  const effort = { left: PATTERN_EFFORT }
  lintRules(shape, policy.forbidden, effort)
  lintTools(shape, policy, effort)
  lintSessionRules(shape, policy, effort)
  if (effort.left < 0) shape.warn('', 'not_compared', NOT_COMPARED)
  lintTriggers(shape, policy)
  return shape.warnings
}

function lintRules(shape: Shape, forbidden: readonly ForbiddenRule[], effort: Effort): void {
  const rules = forbidden.map(({ pattern, severity }) => {
    return { pattern, plain: plainPattern(pattern), level: SEVERITIES.indexOf(severity) }
  })
  const index = createPatternIndex(rules.map(({ plain }, id) => ({ pattern: plain, id })))
  for (const [at, rule] of rules.entries()) {
    const broader = index.covering(rule.plain, effort).find((id) => {
      const other = rules[id]
      if (other === undefined || id === at || other.level < rule.level) return false
      // Keeps the first of two equivalent rules.
      return other.level > rule.level || other.plain !== rule.plain || id < at
    })
    const by = broader === undefined ? undefined : forbidden[broader]
    if (by === undefined) continue
    const message = `is already covered by "${by.pattern}" (${by.severity}); remove it or make it stricter`
    shape.warn(pointer('/forbidden', at), 'shadowed_rule', message)
  }
}

/** A tool pattern and the capability that lists it. */
type Listed = { capability: Capability; at: number; pattern: string }
type Capability = { name: string; actions: ReadonlySet<string> }

function lintTools(shape: Shape, { capability_mappings }: PolicyRules, effort: Effort): void {
  const listings = new Map<string, Listed[]>()
  for (const [name, { tools, card_actions }] of Object.entries(capability_mappings)) {
    const capability = { name, actions: new Set(card_actions) }
    for (const [at, pattern] of tools.entries()) {
      const plain = plainPattern(pattern)
      const listed = listings.get(plain) ?? []
      listed.push({ capability, at, pattern })
      listings.set(plain, listed)
    }
  }
  const groups = [...listings]
  const index = createPatternIndex(groups.map(([pattern], id) => ({ pattern, id })))
  for (const [id, [plain, listed]] of groups.entries()) {
    const covering = index.covering(plain, effort)
    for (const tool of listed) {
      const by = findAhead({ tool, id, covering, groups, effort })
      if (by !== undefined) warnAboutTool(shape, tool, by)
      if (effort.left < 0) return
    }
  }
}

function findAhead({
  tool,
  id,
  covering,
  groups,
  effort,
}: {
  tool: Listed
  id: number
  covering: readonly number[]
  groups: readonly (readonly [string, readonly Listed[]])[]
  effort: Effort
}): Listed | undefined {
  for (const other of covering) {
    for (const by of groups[other]?.[1] ?? []) {
      effort.left -= 1 + by.capability.actions.size
      const isSamePattern = other === id
      if (by !== tool && isAhead(by, tool, isSamePattern)) return by
    }
  }
  return undefined
}

/**
 * Whether the other pattern always takes precedence: it is in the same capability, or in one that
 * never lacks more card actions and comes first by name in case of a tie.
 */
function isAhead(by: Listed, tool: Listed, isSamePattern: boolean): boolean {
  if (by.capability === tool.capability) return !isSamePattern || by.at < tool.at
  if (by.capability.name > tool.capability.name) return false
  return [...by.capability.actions].every((action) => tool.capability.actions.has(action))
}

function warnAboutTool(shape: Shape, { capability, at, pattern }: Listed, by: Listed): void {
  const path = pointer(`${pointer('/capability_mappings', capability.name)}/tools`, at)
  if (by.capability === capability) {
    const message = `"${pattern}" is already covered by "${by.pattern}" in the same list; remove one of them`
    shape.warn(path, 'redundant_tool', message)
    return
  }
  const message = `"${pattern}" is always mapped by "${by.pattern}" of "${by.capability.name}" first, which requires no additional card actions; remove one of them`
  shape.warn(path, 'shadowed_tool', message)
}

function lintTriggers(shape: Shape, { escalation_triggers }: PolicyRules): void {
  const canHold = createTriggerLint()
  for (const [at, { condition }] of escalation_triggers.entries()) {
    if (canHold(condition)) continue
    const message =
      'can never be true, so the trigger never fires; correct it or remove the trigger'
    shape.warn(`/escalation_triggers/${at}/condition`, 'unreachable_trigger', message)
  }
}

/** Normalises runs of `*` and `?`, whose order does not matter, and `**` to `*`. */
function plainPattern(pattern: string): string {
  return pattern.replace(/[*?]+/g, (run) => {
    return run.replaceAll('*', '') + (run.includes('*') ? '*' : '')
  })
}
