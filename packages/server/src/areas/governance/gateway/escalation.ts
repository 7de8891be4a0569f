import { type EscalationStanding, escalationStanding } from '@touchstone/protocol/policy'

export const ESCALATION_STATUSES = ['pending', 'approved', 'rejected', 'expired'] as const
export type EscalationStatus = (typeof ESCALATION_STATUSES)[number]

/** spec: governance §4: how long a person has to answer. */
const PENDING_MS = 60 * 60_000

/** A call that waits for a person's word, and what became of it. */
export type Escalation = {
  escalationId: string
  orgId: string
  agentId: string
  tool: string
  sessionId: string | null
  transactionId: string | null
  reason: string
  /** As it was written last; `statusAt` says what holds. */
  status: EscalationStatus
  createdAt: Date
  expiresAt: Date
  resolvedBy: string | null
  resolvedAt: Date | null
  note: string | null
  usedAt: Date | null
}

export type NewEscalation = Pick<
  Escalation,
  'escalationId' | 'orgId' | 'agentId' | 'tool' | 'sessionId' | 'transactionId' | 'reason'
>

export function openEscalation(asked: NewEscalation, now: Date): Escalation {
  return {
    ...asked,
    status: 'pending',
    createdAt: now,
    expiresAt: new Date(now.getTime() + PENDING_MS),
    resolvedBy: null,
    resolvedAt: null,
    note: null,
    usedAt: null,
  }
}

/** A question that nobody answered in time is expired by itself. */
export function statusAt({ status, expiresAt }: Escalation, now: Date): EscalationStatus {
  return status === 'pending' && expiresAt <= now ? 'expired' : status
}

/** What the escalation is worth to a call that names it. */
export function standingAt(escalation: Escalation, now: Date): EscalationStanding {
  return escalationStanding(
    {
      status: escalation.status,
      expiresAtMs: escalation.expiresAt.getTime(),
      resolvedAtMs: escalation.resolvedAt?.getTime(),
      used: escalation.usedAt !== null,
    },
    now.getTime(),
  )
}
