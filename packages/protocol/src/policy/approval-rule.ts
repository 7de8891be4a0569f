/** Approvers of a call that a rule escalates, and the reach of an approval (spec: decisions §4). */

export const APPROVAL_ROLES = ['owner', 'admin', 'auditor', 'member'] as const
export const APPROVAL_SCOPES = ['call', 'session'] as const

export type ApprovalRole = (typeof APPROVAL_ROLES)[number]
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number]

/** The block as a document has it. A field that is not set restricts nothing. */
export type ApprovalBlock = {
  required?: number
  roles?: readonly ApprovalRole[]
  scopes?: readonly ApprovalScope[]
  expires_minutes?: number
  /** Whether the user of a coding agent may answer in the client. */
  local?: boolean
}

/** A complete block: what applies to an escalation. */
export type ApprovalRule = {
  /** The number of people who must approve. */
  required: number
  roles: readonly ApprovalRole[]
  scopes: readonly ApprovalScope[]
  expiresMinutes: number
  local: boolean
}

export const BUILT_IN_APPROVAL: ApprovalRule = {
  required: 1,
  roles: ['owner', 'admin'],
  scopes: ['call'],
  expiresMinutes: 60,
  local: false,
}

export function approvalRuleOf(block: ApprovalBlock | undefined): ApprovalRule {
  if (block === undefined) return BUILT_IN_APPROVAL
  return {
    required: block.required ?? BUILT_IN_APPROVAL.required,
    roles: block.roles ?? BUILT_IN_APPROVAL.roles,
    scopes: block.scopes ?? BUILT_IN_APPROVAL.scopes,
    expiresMinutes: block.expires_minutes ?? BUILT_IN_APPROVAL.expiresMinutes,
    local: block.local ?? BUILT_IN_APPROVAL.local,
  }
}

type Blocks = { lower: ApprovalBlock | undefined; upper: ApprovalBlock | undefined }

/**
 * Merges the blocks of two layers, the lower one being nearer to the organisation. Lists that have
 * nothing in common leave that of the lower layer, so that no agent can choose other approvers than its
 * organisation allows.
 */
export function mergeApproval({ lower, upper }: Blocks): ApprovalBlock | undefined {
  if (lower === undefined || upper === undefined) return lower ?? upper
  return {
    ...optional('required', choose(lower.required, upper.required, Math.max)),
    ...optional('roles', choose(lower.roles, upper.roles, commonOrLower)),
    ...optional('scopes', choose(lower.scopes, upper.scopes, commonOrLower)),
    ...optional('expires_minutes', choose(lower.expires_minutes, upper.expires_minutes, Math.min)),
    local: lower.local === true && upper.local === true,
  }
}

/** The lists of which nothing remains if they are intersected. */
export function disjointLists({ lower, upper }: Blocks): ('roles' | 'scopes')[] {
  return (['roles', 'scopes'] as const).filter((name) => {
    const [below, above] = [lower?.[name], upper?.[name]]
    return below !== undefined && above !== undefined && common(below, above).length === 0
  })
}

/** Whether some escalation could be approved under `draft` that could not under `current`. */
export function mayApproveMore(draft: ApprovalRule, current: ApprovalRule): boolean {
  return (
    draft.required < current.required ||
    draft.expiresMinutes > current.expiresMinutes ||
    (draft.local && !current.local) ||
    !isWithin(draft.roles, current.roles) ||
    !isWithin(draft.scopes, current.scopes)
  )
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  return some.every((one) => all.includes(one))
}

function choose<Value>(
  lower: Value | undefined,
  upper: Value | undefined,
  merge: (lower: Value, upper: Value) => Value,
): Value | undefined {
  return lower === undefined || upper === undefined ? (lower ?? upper) : merge(lower, upper)
}

function commonOrLower<Item>(lower: readonly Item[], upper: readonly Item[]): readonly Item[] {
  const both = common(lower, upper)
  return both.length > 0 ? both : lower
}

function common<Item>(lower: readonly Item[], upper: readonly Item[]): readonly Item[] {
  return lower.filter((item) => upper.includes(item))
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined) {
  // The type of a computed name is widened to string, hence the cast.
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value }
}

/** One approval lifts all findings, so the strictest of their rules applies. */
export function strictestApproval(rules: readonly ApprovalRule[]): ApprovalRule {
  return rules.reduce(stricter, rules[0] ?? BUILT_IN_APPROVAL)
}

function stricter(one: ApprovalRule, other: ApprovalRule): ApprovalRule {
  return {
    required: Math.max(one.required, other.required),
    roles: commonOrFirst(APPROVAL_ROLES, one.roles, other.roles),
    scopes: commonOrFirst(APPROVAL_SCOPES, one.scopes, other.scopes),
    expiresMinutes: Math.min(one.expiresMinutes, other.expiresMinutes),
    local: one.local && other.local,
  }
}

/** Lists with nothing in common leave the first, because an escalation must be resolvable. */
function commonOrFirst<T>(
  order: readonly T[],
  one: readonly T[],
  other: readonly T[],
): readonly T[] {
  const both = order.filter((item) => one.includes(item) && other.includes(item))
  return both.length > 0 ? both : one
}

/** Whether an approval under the first rule satisfies the second, which may have changed since. */
export function satisfiesApproval(
  given: Pick<ApprovalRule, 'required' | 'roles'>,
  needed: Pick<ApprovalRule, 'required' | 'roles'>,
): boolean {
  return (
    given.required >= needed.required && given.roles.every((role) => needed.roles.includes(role))
  )
}
