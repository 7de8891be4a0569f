import type { Escalation } from './queries.ts'

type Answered = Pick<Escalation, 'escalation_id' | 'status' | 'resolved_at' | 'expires_at'>

const endOf = ({ resolved_at: resolvedAt, expires_at: expiresAt }: Answered) =>
  Date.parse(resolvedAt ?? expiresAt)

/** The escalations that had ended when this one ended; all that have ended while it is pending. */
export function earlierAnswers<T extends Answered>(escalations: readonly T[], one: Answered): T[] {
  return escalations.filter(
    (other) =>
      other.status !== 'pending' &&
      other.escalation_id !== one.escalation_id &&
      (one.status === 'pending' || endOf(other) < endOf(one)),
  )
}
