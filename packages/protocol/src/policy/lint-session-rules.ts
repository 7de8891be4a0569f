import type { Shape } from '../base/shape.ts'
import type { ApprovalBlock } from './approval-rule.ts'
import { createGlob } from './glob.ts'
import { lintModelLimits } from './model-limits.ts'
import { createPatternIndex } from './pattern-index.ts'
import { isBlocking, type PolicyRules } from './policy.ts'
import { LIMIT_ACTIONS, type PolicyLimit } from './session-rules.ts'
import type { Effort } from './wildcard-glob.ts'

/** Finds limits, flows and approvals that have no effect, as far as the document alone shows. */
export function lintSessionRules(shape: Shape, policy: PolicyRules, effort: Effort): void {
  const { limits = [], flows = [] } = policy
  if (limits.length + flows.length > 0) {
    const isCallable = createCallable(policy, effort)
    lintLimits(shape, limits, isCallable)
    for (const [at, { from, to }] of flows.entries()) {
      for (const [side, patterns] of [['from', from] as const, ['to', to] as const]) {
        if (patterns.some(isCallable)) continue
        const message = 'matches no tool that may be called, so the flow has no effect; correct it'
        shape.warn(`/flows/${at}/${side}`, 'unreachable_flow', message)
      }
    }
  }
  lintApprovals(shape, policy)
  lintModelLimits(shape, policy)
}

function lintLimits(
  shape: Shape,
  limits: readonly PolicyLimit[],
  isCallable: (pattern: string) => boolean,
): void {
  for (const [at, limit] of limits.entries()) {
    if (!limit.tools.some(isCallable)) {
      const message = 'matches no tool that may be called, so the limit has no effect; correct it'
      shape.warn(`/limits/${at}/tools`, 'unreachable_limit', message)
      continue
    }
    const by = limits.find((other, id) => other !== limit && isAhead(other, limit, id < at))
    if (by === undefined) continue
    const message = `is never reached before "${by.name}"; lower it or remove the limit`
    shape.warn(`/limits/${at}/max`, 'unreachable_limit', message)
  }
}

/** Whether the other limit always stops a call first. Of two equal limits the first is kept. */
function isAhead(other: PolicyLimit, limit: PolicyLimit, isFirst: boolean): boolean {
  if (other.per !== limit.per || other.max > limit.max) return false
  const strictness = ({ action }: PolicyLimit) => LIMIT_ACTIONS.indexOf(action)
  if (strictness(other) < strictness(limit)) return false
  // A limit that only warns lets calls pass to the higher one.
  if (other.action === 'warn' && other.max < limit.max) return false
  const globs = other.tools.map(createGlob)
  if (!limit.tools.every((tool) => globs.some((glob) => glob.covers(tool)))) return false
  const isEqual = other.max === limit.max && other.action === limit.action
  return !isEqual || isFirst
}

/**
 * Whether a pattern may match a tool that is let through: not if a blocking rule covers it, and not if
 * unmapped tools are blocked and it certainly differs from every mapped one.
 */
function createCallable(policy: PolicyRules, effort: Effort): (pattern: string) => boolean {
  const blocking = policy.forbidden.filter(({ severity }) => isBlocking(severity))
  const index = createPatternIndex(blocking.map(({ pattern }, id) => ({ pattern, id })))
  const mapped = Object.values(policy.capability_mappings).flatMap(({ tools }) => tools)
  const needsMapping = policy.defaults.unmapped_tool_action === 'block'
  return (pattern) => {
    if (index.covering(pattern, effort).length > 0) return false
    return !needsMapping || mapped.some((other) => mayOverlap(pattern, other))
  }
}

/** False only if no name can match both patterns. */
function mayOverlap(a: string, b: string): boolean {
  const isWild = (pattern: string) => /[*?]/.test(pattern)
  if (!isWild(a)) return createGlob(b).matches(a)
  if (!isWild(b)) return createGlob(a).matches(b)
  const head = (pattern: string) => /^[^*?]*/.exec(pattern)?.[0] ?? ''
  const tail = (pattern: string) => /[^*?]*$/.exec(pattern)?.[0] ?? ''
  const fits = (one: string, other: string, has: 'startsWith' | 'endsWith') =>
    one[has](other) || other[has](one)
  return fits(head(a), head(b), 'startsWith') && fits(tail(a), tail(b), 'endsWith')
}

function lintApprovals(shape: Shape, policy: PolicyRules): void {
  const { escalation_triggers, limits = [], flows = [], defaults } = policy
  const held: [string, ApprovalBlock | undefined][] = [
    ...escalation_triggers.map(({ approval }, at): [string, typeof approval] => [
      `/escalation_triggers/${at}`,
      approval,
    ]),
    ...limits.map(({ approval }, at): [string, typeof approval] => [`/limits/${at}`, approval]),
    ...flows.map(({ approval }, at): [string, typeof approval] => [`/flows/${at}`, approval]),
    ['/defaults', defaults.approval],
  ]
  for (const [path, approval] of held) {
    if (approval?.local !== true || (approval.required ?? 1) === 1) continue
    const message = `has no effect with required ${approval.required}: a client has one user`
    shape.warn(`${path}/approval/local`, 'ineffective_local', message)
  }
}
