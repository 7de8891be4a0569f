import { createShape, type Finding, type Shape } from '../base/shape.ts'
import { lintPolicy } from './lint-policy.ts'
import type { PolicyCard, PolicyDocument, PolicyRules, PolicyScope } from './policy.ts'
import { checkMeaning, warnOfGaps } from './policy-meaning.ts'
import { readDocument, readTransactionRules } from './policy-shape.ts'

type Refusal = {
  valid: false
  /** Wrong in form (400), or well-formed and contradictory (422). */
  problem: 'invalid_request' | 'validation_error'
  errors: readonly Finding[]
  warnings: readonly Finding[]
}
type Acceptance<Policy> = {
  valid: true
  /** Normalised: every section present, duplicates dropped. */
  policy: Policy
  errors: readonly []
  warnings: readonly Finding[]
}

export type PolicyOutcome = Acceptance<PolicyDocument> | Refusal
export type TransactionPolicyOutcome = Acceptance<PolicyRules> | Refusal

/** What a document is to be judged against, as far as there is any. */
export type PolicySurroundings = {
  /** That of the path it is stored under; without one the document's own counts. */
  scope?: PolicyScope | undefined
  card?: PolicyCard | undefined
  /** The organisation's policy, when the document is one below it. */
  org?: PolicyRules | undefined
}

/**
 * Meaning is judged only once the form is right, so a policy has faults of one kind at a time.
 */
export function validatePolicy(input: unknown, around: PolicySurroundings = {}): PolicyOutcome {
  const shape = createShape()
  const policy = readDocument(shape, input)
  if (policy !== undefined) checkScope(shape, policy.meta.scope, around.scope)
  // Nothing is below an organisation's policy.
  const isBelow = policy?.meta.scope !== 'org'
  const outcome = judged(shape, policy, isBelow ? around : { ...around, org: undefined })
  if (!outcome.valid) return outcome
  for (const { path, code, message } of lintPolicy(outcome.policy)) shape.warn(path, code, message)
  return outcome
}

/** The policy of a transaction needs no head, and has no path whose scope it could miss. */
export function validateTransactionPolicy(input: unknown): TransactionPolicyOutcome {
  const shape = createShape()
  return judged(shape, readTransactionRules(shape, input), {})
}

function checkScope(shape: Shape, scope: PolicyScope, expected: PolicyScope | undefined): void {
  if (expected === undefined || scope === expected) return
  shape.fail('/meta/scope', 'scope_mismatch', `must be "${expected}" here`)
}

function judged<Policy extends PolicyRules>(
  shape: Shape,
  policy: Policy | undefined,
  around: PolicySurroundings,
): Acceptance<Policy> | Refusal {
  const { errors, warnings } = shape
  if (policy === undefined) return { valid: false, problem: 'invalid_request', errors, warnings }
  const problem = checkMeaning(shape, policy) ? 'validation_error' : 'invalid_request'
  if (errors.length > 0) return { valid: false, problem, errors, warnings }
  warnOfGaps(shape, policy, around)
  return { valid: true, policy, errors: [], warnings }
}
