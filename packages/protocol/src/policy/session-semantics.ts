import { pointer, type Shape } from '../base/shape.ts'
import { type ApprovalBlock, disjointLists } from './approval-rule.ts'
import { conditionKey } from './condition-syntax.ts'
import type { PolicyRules } from './policy.ts'

/** Faults of meaning in the fields that schema version 1.1 adds to a document. */
export function checkSessionRules(shape: Shape, policy: PolicyRules): void {
  checkNames(shape, policy)
  for (const { path, action, approval } of approvalsOf(policy)) {
    checkApproval(shape, path, approval)
    if (action === 'escalate') continue
    shape.fail(path, 'conflicting_approval', 'is only for action escalate; remove it')
  }
}

/** All rules of a document share their names, because reasons and reports refer to a rule by its name. */
function checkNames(shape: Shape, policy: PolicyRules): void {
  const { limits = [], flows = [], model_limits: budgets = [] } = policy
  const seen = new Set<string>()
  const named = [
    ...limits.map(({ name }, at) => ({ name, path: `/limits/${at}/name` })),
    ...flows.map(({ name }, at) => ({ name, path: `/flows/${at}/name` })),
    ...budgets.map(({ name }, at) => ({ name, path: `/model_limits/${at}/name` })),
  ]
  for (const { name, path } of named) {
    if (seen.has(name)) {
      shape.fail(path, 'duplicate_name', `"${name}" already names a limit or flow`)
    }
    seen.add(name)
  }
}

function checkApproval(shape: Shape, path: string, { roles, scopes }: ApprovalBlock): void {
  if (roles?.length === 0) {
    shape.fail(`${path}/roles`, 'conflicting_approval', 'must not be empty: nobody could approve')
  }
  if (scopes?.length === 0) {
    const message = 'must not be empty: no approval could be given'
    shape.fail(`${path}/scopes`, 'conflicting_approval', message)
  }
}

type HeldApproval = { path: string; action: string; approval: ApprovalBlock }

function approvalsOf(policy: PolicyRules): HeldApproval[] {
  const { escalation_triggers, limits = [], flows = [], defaults } = policy
  const holders = [
    ...escalation_triggers.map((of, at) => ({ of, path: `/escalation_triggers/${at}` })),
    ...limits.map((of, at) => ({ of, path: `/limits/${at}` })),
    ...flows.map((of, at) => ({ of, path: `/flows/${at}` })),
    { of: { action: 'escalate', approval: defaults.approval }, path: '/defaults' },
  ]
  return holders.flatMap(({ of: { action, approval }, path }) =>
    approval === undefined ? [] : [{ path: `${path}/approval`, action, approval }],
  )
}

/** Lists of an approval block that have nothing in common with those of the organisation. */
export function warnOfApprovals(shape: Shape, policy: PolicyRules, org: PolicyRules): void {
  const warn = (path: string, upper: ApprovalBlock | undefined, lower: typeof upper): void => {
    for (const name of disjointLists({ lower, upper })) {
      const message = `has nothing in common with the organisation's ${JSON.stringify(lower?.[name])}, which applies instead`
      shape.warn(pointer(path, name), 'empty_intersection', message)
    }
  }
  warn('/defaults/approval', policy.defaults.approval, org.defaults.approval)
  const below = new Map(org.escalation_triggers.map((of) => [triggerKey(of), of]))
  for (const [at, trigger] of policy.escalation_triggers.entries()) {
    const same = below.get(triggerKey(trigger))
    if (same === undefined) continue
    const path = `/escalation_triggers/${at}/approval`
    warn(path, trigger.approval, same.approval ?? org.defaults.approval)
  }
}

function triggerKey({ action, condition }: { action: string; condition: string }): string {
  return `${action} ${conditionKey(condition)}`
}
