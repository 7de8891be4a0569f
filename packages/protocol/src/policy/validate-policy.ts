import { createShape, type Finding, type Shape } from '../base/shape.ts'
import { lintPolicy } from './lint-policy.ts'
import type { PolicyCard, PolicyDocument, PolicyRules, PolicyScope } from './policy.ts'
import { checkSemantics, warnOfGaps } from './policy-semantics.ts'
import { readDocument, readTransactionRules } from './policy-shape.ts'

type Refusal = {
  valid: false
  /** Malformed (400), or well-formed but contradictory (422). */
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

/** The context that a document is checked against, as far as it exists. */
export type PolicySurroundings = {
  /** The scope of the path it is stored under; if absent, the document's own scope is used. */
  scope?: PolicyScope | undefined
  card?: PolicyCard | undefined
  /** The organisation's policy, if the document is a layer above it. */
  org?: PolicyRules | undefined
}

/**
 * Validates the meaning only if the form is valid, so the errors of a policy are all of one kind.
 */
export function validatePolicy(input: unknown, context: PolicySurroundings = {}): PolicyOutcome {
  const shape = createShape()
  const policy = readDocument(shape, input)
  if (policy !== undefined) checkScope(shape, policy.meta.scope, context.scope)
  // The policy of an organisation is the lowest layer, so there is none below to compare it with.
  const isLowest = policy?.meta.scope === 'org'
  const outcome = judge(shape, policy, isLowest ? { ...context, org: undefined } : context)
  if (!outcome.valid) return outcome
  for (const { path, code, message } of lintPolicy(outcome.policy)) shape.warn(path, code, message)
  return outcome
}

/** The policy of a transaction needs no `meta`, and has no path that its scope must match. */
export function validateTransactionPolicy(input: unknown): TransactionPolicyOutcome {
  const shape = createShape()
  return judge(shape, readTransactionRules(shape, input), {})
}

function checkScope(shape: Shape, scope: PolicyScope, expected: PolicyScope | undefined): void {
  if (expected === undefined || scope === expected) return
  shape.fail('/meta/scope', 'scope_mismatch', `must be "${expected}" here`)
}

function judge<Policy extends PolicyRules>(
  shape: Shape,
  policy: Policy | undefined,
  context: PolicySurroundings,
): Acceptance<Policy> | Refusal {
  const { errors, warnings } = shape
  if (policy === undefined) return { valid: false, problem: 'invalid_request', errors, warnings }
  const problem = checkSemantics(shape, policy) ? 'validation_error' : 'invalid_request'
  if (errors.length > 0) return { valid: false, problem, errors, warnings }
  warnOfGaps(shape, policy, context)
  return { valid: true, policy, errors: [], warnings }
}
