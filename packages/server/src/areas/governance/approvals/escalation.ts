import type { ApprovalRule, ApprovalScope, EscalationStanding } from '@touchstone/protocol/policy'

export const ESCALATION_STATUSES = ['pending', 'approved', 'rejected', 'expired'] as const
export type EscalationStatus = (typeof ESCALATION_STATUSES)[number]

const MINUTE_MS = 60_000

/** How long the arguments stay readable after the end (spec: decisions §4). */
export const ARGUMENTS_KEPT_MS = 24 * 60 * MINUTE_MS

/** How many calls an approval covers. */
export const USES_MAX = { call: 1, session: 100 } as const

/** The consent of one person. */
export type Approval = {
  by: string
  at: Date
  note: string | null
  scope: ApprovalScope
  ttlMinutes: number
  /** The key that they used; null for a session, and in approvals of older versions. */
  keyId: string | null
}

/** A tool call that needs the approval of one or more people, and how it was resolved. */
export type Escalation = {
  escalationId: string
  orgId: string
  agentId: string
  tool: string
  sessionId: string | null
  /** Null for a call without arguments. */
  argumentsHash: string | null
  /** Whether the arguments are stored, apart from this value. */
  hasArguments: boolean
  isTruncated: boolean
  justification: string | null
  transactionId: string | null
  /** The decision that opened it; null in escalations of older versions, as is the next. */
  decisionId: string | null
  requestedBy: string | null
  /** Everybody who asked for this call, while it was pending. */
  askers: readonly string[]
  /** The rules that escalated; empty in escalations of older versions. */
  triggers: readonly { condition: string; reason: string }[]
  reason: string
  rule: Omit<ApprovalRule, 'expiresMinutes'>
  approvals: readonly Approval[]
  /** How often somebody approved or rejected, also those who can no longer approve. */
  answers: number
  /** As stored; `statusAt` also considers expiry. */
  status: EscalationStatus
  createdAt: Date
  expiresAt: Date
  resolvedBy: string | null
  resolvedAt: Date | null
  note: string | null
  /** Null, as the next two, until it is approved. */
  scope: ApprovalScope | null
  validUntil: Date | null
  usesLeft: number | null
  /** The last use. */
  usedAt: Date | null
}

/** The call that an approval is for. */
export type Subject = Pick<Escalation, 'agentId' | 'tool' | 'sessionId' | 'argumentsHash'>

/** A call and the credential that asks for it. */
export type Question = Subject & { askedBy: string; isBound: boolean }

export type NewEscalation = Subject &
  Pick<
    Escalation,
    | 'escalationId'
    | 'orgId'
    | 'hasArguments'
    | 'isTruncated'
    | 'justification'
    | 'transactionId'
    | 'decisionId'
    | 'requestedBy'
    | 'triggers'
    | 'reason'
  > & { rule: ApprovalRule }

export function openEscalation(details: NewEscalation, now: Date): Escalation {
  const { required, roles, scopes, local, expiresMinutes } = details.rule
  return {
    ...details,
    rule: { required, roles, scopes, local },
    askers: details.requestedBy === null ? [] : [details.requestedBy],
    approvals: [],
    answers: 0,
    status: 'pending',
    createdAt: now,
    expiresAt: minutesAfter(now, expiresMinutes),
    resolvedBy: null,
    resolvedAt: null,
    note: null,
    scope: null,
    validUntil: null,
    usesLeft: null,
    usedAt: null,
  }
}

export function minutesAfter(time: Date, minutes: number): Date {
  return new Date(time.getTime() + minutes * MINUTE_MS)
}

/** A pending escalation expires without a write to the database. */
export function statusAt(
  { status, expiresAt }: Pick<Escalation, 'status' | 'expiresAt'>,
  now: Date,
): EscalationStatus {
  return status === 'pending' && expiresAt <= now ? 'expired' : status
}

/** Whether the arguments can be read: stored, and not too long after the end. */
export function hasArgumentsAt(escalation: Escalation, now: Date): boolean {
  if (!escalation.hasArguments) return false
  const endedAt = escalation.resolvedAt ?? escalation.expiresAt
  return now.getTime() < endedAt.getTime() + ARGUMENTS_KEPT_MS
}

/** Whether the user of a client may answer there; several people cannot, and a rejection stands. */
export function isAnswerableInClient({
  rule,
  status,
}: Pick<Escalation, 'rule' | 'status'>): boolean {
  return rule.local && rule.required === 1 && status !== 'rejected'
}

/** The effect of an escalation on a call. */
export type CallApproval = {
  escalationId: string
  standing: EscalationStanding
  approvedBy: string | null
  /** The reach of the approval; null unless it is approved. */
  scope: ApprovalScope | null
  /** The rules that the approval lifts; undefined for an escalation of an older version: all. */
  rules: readonly string[] | undefined
  /** The rule that it was given under. */
  rule: Escalation['rule']
}

/** A key does not use an approval that it gave (spec: decisions §4). */
export function approvalOf(escalation: Escalation, call: Question, now: Date): CallApproval {
  const { escalationId, approvals, resolvedBy, triggers } = escalation
  const names = approvals.map(({ by }) => by).join(', ')
  return {
    escalationId,
    standing: isFor(escalation, call) ? standingFor(escalation, call, now) : 'mismatched',
    approvedBy: names === '' ? resolvedBy : names,
    scope: escalation.scope,
    rule: escalation.rule,
    rules: triggers.length === 0 ? undefined : triggers.map(({ condition }) => condition),
  }
}

/** An escalation without a session is for any session. */
function isFor(escalation: Escalation, call: Subject): boolean {
  return (
    escalation.agentId === call.agentId &&
    escalation.tool === call.tool &&
    (escalation.scope === 'session' || escalation.argumentsHash === call.argumentsHash) &&
    (escalation.sessionId === null || escalation.sessionId === call.sessionId)
  )
}

function standingFor(escalation: Escalation, call: Question, now: Date): EscalationStanding {
  const status = statusAt(escalation, now)
  if (status === 'pending') return 'pending'
  if (escalation.approvals.some(({ keyId }) => keyId === call.askedBy)) return 'refused'
  const { usesLeft, validUntil } = escalation
  const isUsable = (usesLeft ?? 0) > 0 && validUntil !== null && now < validUntil
  return status === 'approved' && isUsable ? 'approved' : 'refused'
}
