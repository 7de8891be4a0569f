import type { Decision } from './queries.ts'

/** The fields that the signed statement and the shown decision have in common. */
const SHARED = [
  'decision_id',
  'decision',
  'agent_id',
  'tool',
  'arguments_hash',
  'policy_id',
  'policy_version',
  'transaction_id',
  'escalation_id',
  'decided_at',
] as const

/** Names the fields in which a receipt differs from the decision that it is shown with. */
export function differencesOf(
  decision: Pick<Decision, (typeof SHARED)[number] | 'receipt'>,
): string[] {
  const { statement } = decision.receipt
  return SHARED.filter((field) => statement[field] !== decision[field])
}
