import type { Decision } from './decide.ts'
import type { ObservedDecision } from './observed-call.ts'

/**
 * The fate of a call: as reported, or else as far as the decision tells. A client that enforces
 * decisions stopped a blocked call before it ran, and held an escalated one, which it has decided again
 * after an approval.
 */
export type CallFate = NonNullable<ObservedDecision['outcome']> | 'stopped' | 'held' | 'unknown'

const UNREPORTED: Readonly<Record<Decision, CallFate>> = {
  allow: 'unknown',
  warn: 'unknown',
  escalate: 'held',
  block: 'stopped',
}

export function callFate({
  decision,
  enforced,
  outcome,
}: Pick<ObservedDecision, 'decision' | 'enforced' | 'outcome'>): CallFate {
  if (outcome !== null) return outcome
  return enforced ? UNREPORTED[decision] : 'unknown'
}
