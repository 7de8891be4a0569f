import { type ApprovalRule, approvalRuleOf } from './approval-rule.ts'
import { createPatternIndex, type PatternIndex } from './pattern-index.ts'
import type { MergedPolicy } from './policy.ts'
import type { LayeredFlow, LayeredLimit } from './session-rules.ts'

/** The limits, flows and loop guard of a policy, with an index of the tools they are about. */
export type CompiledSessionRules = {
  limits: readonly CompiledLimit[]
  /** Finds indices into `limits`. */
  limitIndex: PatternIndex
  flows: readonly CompiledFlow[]
  /** Find indices into `flows`. */
  fromIndex: PatternIndex
  toIndex: PatternIndex
  maxIdenticalCalls: number | null
  loopApproval: ApprovalRule
}

export type CompiledLimit = Omit<LayeredLimit, 'approval'> & {
  rule: string
  approval: ApprovalRule
}
export type CompiledFlow = Omit<LayeredFlow, 'approval'> & { rule: string; approval: ApprovalRule }

/** Undefined if the policy has no rules over a session, so that most calls need no further look. */
export function compileSessionRules(policy: MergedPolicy): CompiledSessionRules | undefined {
  const { limits = [], flows = [], defaults } = policy
  const maxIdenticalCalls = defaults.max_identical_calls ?? null
  if (limits.length + flows.length === 0 && maxIdenticalCalls === null) return undefined
  const compile = <Rule extends LayeredLimit | LayeredFlow>(rule: Rule) => ({
    ...rule,
    rule: `${rule.layer}/${rule.name}`,
    approval: approvalRuleOf(rule.approval ?? defaults.approval),
  })
  return {
    limits: limits.map(compile),
    limitIndex: indexOf(limits.map(({ tools }) => tools)),
    flows: flows.map(compile),
    fromIndex: indexOf(flows.map(({ from }) => from)),
    toIndex: indexOf(flows.map(({ to }) => to)),
    maxIdenticalCalls,
    loopApproval: approvalRuleOf(defaults.approval),
  }
}

function indexOf(lists: readonly (readonly string[])[]): PatternIndex {
  return createPatternIndex(
    lists.flatMap((patterns, id) => patterns.map((pattern) => ({ pattern, id }))),
  )
}
