import {
  type ApprovalRule,
  approvalRuleOf,
  BUILT_IN_APPROVAL,
  mayApproveMore,
} from './approval-rule.ts'
import { conditionKey } from './condition-syntax.ts'
import { createGlob } from './glob.ts'
import { mayLoosenModelLimits } from './model-limits.ts'
import { CHANGED_TOOL_ACTIONS, type PolicyRules } from './policy.ts'
import { LIMIT_ACTIONS, type PolicyFlow, type PolicyLimit } from './session-rules.ts'
import { changedToolAction } from './tool-change.ts'

/** How two policies differ in the rules over a session and in who may approve. */
export type SessionAspect =
  | 'limits'
  | 'flows'
  | 'model_limits'
  | 'max_identical_calls'
  | 'changed_tool_action'
  | 'approval'

type Pair = { draft: PolicyRules; current: PolicyRules }

export const SESSION_ASPECTS: readonly {
  name: SessionAspect
  of(rules: PolicyRules): unknown
  mayLoosen(pair: Pair): boolean
}[] = [
  {
    name: 'limits',
    of: ({ limits = [] }) =>
      limits.map(({ name, tools, max, per, action }) => [name, tools, max, per, action]),
    mayLoosen: ({ draft, current }) =>
      (current.limits ?? []).some(
        (limit) => !(draft.limits ?? []).some((other) => isAtLeast(other, limit)),
      ),
  },
  {
    name: 'flows',
    of: ({ flows = [] }) => flows.map(({ name, from, to, action }) => [name, from, to, action]),
    mayLoosen: ({ draft, current }) =>
      (current.flows ?? []).some(
        (flow) => !(draft.flows ?? []).some((other) => holdsAll(other, flow)),
      ),
  },
  {
    name: 'model_limits',
    of: ({ model_limits: limits = [] }) => limits,
    mayLoosen: ({ draft, current }) => mayLoosenModelLimits(draft, current),
  },
  {
    name: 'max_identical_calls',
    of: ({ defaults }) => defaults.max_identical_calls ?? null,
    mayLoosen: ({ draft, current }) => identicalCalls(draft) > identicalCalls(current),
  },
  {
    name: 'changed_tool_action',
    of: changedToolStrictness,
    mayLoosen: ({ draft, current }) =>
      changedToolStrictness(draft) < changedToolStrictness(current),
  },
  {
    name: 'approval',
    // A rule that was added or removed with the usual approval differs in other aspects.
    of: (rules) => [...approvalsOf(rules)].filter(([, rule]) => !isUsual(rule)),
    mayLoosen: ({ draft, current }) => {
      const before = approvalsOf(current)
      return [...approvalsOf(draft)].some(([key, rule]) => {
        const known = before.get(key)
        return known !== undefined && mayApproveMore(rule, known)
      })
    },
  },
]

/** Whether everything that the limit stops is stopped by the other, at least as strictly. */
function isAtLeast(other: PolicyLimit, limit: PolicyLimit): boolean {
  return (
    other.per === limit.per &&
    other.max <= limit.max &&
    LIMIT_ACTIONS.indexOf(other.action) >= LIMIT_ACTIONS.indexOf(limit.action) &&
    coversAll(other.tools, limit.tools) &&
    // A softer limit that is reached first lets calls pass; an equal one changes nothing.
    (other.action !== 'warn' || other.max === limit.max)
  )
}

function holdsAll(other: PolicyFlow, flow: PolicyFlow): boolean {
  const isAsStrict = other.action === 'block' || flow.action === 'escalate'
  return isAsStrict && coversAll(other.from, flow.from) && coversAll(other.to, flow.to)
}

function coversAll(covering: readonly string[], covered: readonly string[]): boolean {
  const globs = covering.map(createGlob)
  return covered.every((pattern) => globs.some((glob) => glob.covers(pattern)))
}

function identicalCalls({ defaults }: PolicyRules): number {
  return defaults.max_identical_calls ?? Number.POSITIVE_INFINITY
}

function changedToolStrictness({ defaults }: PolicyRules): number {
  return CHANGED_TOOL_ACTIONS.indexOf(changedToolAction(defaults))
}

/** The rule of everything that escalates, by its kind and condition or name. */
function approvalsOf(rules: PolicyRules): Map<string, ApprovalRule> {
  const { escalation_triggers, limits = [], flows = [], defaults } = rules
  const held = [
    ...escalation_triggers.map((of) => ({ of, key: `trigger ${conditionKey(of.condition)}` })),
    ...limits.map((of) => ({ of, key: `limit ${layerOf(of)} ${of.name}` })),
    ...flows.map((of) => ({ of, key: `flow ${layerOf(of)} ${of.name}` })),
    { of: { action: 'escalate', approval: defaults.approval }, key: 'default' },
  ]
  return new Map(
    held
      .filter(({ of }) => of.action === 'escalate')
      .map(({ of, key }) => [key, approvalRuleOf(of.approval ?? defaults.approval)]),
  )
}

function isUsual(rule: ApprovalRule): boolean {
  return !mayApproveMore(rule, BUILT_IN_APPROVAL) && !mayApproveMore(BUILT_IN_APPROVAL, rule)
}

/** Only a merged policy names the layers of its rules. */
function layerOf(rule: PolicyLimit | PolicyFlow): string {
  return 'layer' in rule ? String(rule.layer) : ''
}
