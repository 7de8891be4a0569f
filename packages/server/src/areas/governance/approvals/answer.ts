import type { ApprovalScope } from '@touchstone/protocol/policy'
import type { Role } from '../../../access.ts'
import { type Approval, type Escalation, minutesAfter, statusAt, USES_MAX } from './escalation.ts'

/** spec: decisions §4. */
const TTL_MINUTES_DEFAULT = 15

export type Answer = {
  outcome: 'approve' | 'reject'
  note: string | null
  scope: ApprovalScope | undefined
  ttlMinutes: number | undefined
}

/** The person who answers; a key counts as its creator. */
export type Answerer = { userId: string; role: Role; keyId?: string | undefined }

export type Answered =
  | { ok: true; escalation: Escalation }
  | {
      ok: false
      code: 'forbidden' | 'conflict' | 'self_approval' | 'invalid_request'
      message: string
    }

/** The present members of the organisation and their roles. */
export type Roles = ReadonlyMap<string, Role>

/** The escalation after somebody answered, or why they cannot. */
export function judgeAnswer(
  stored: Escalation,
  given: { answer: Answer; by: Answerer; roles: Roles },
  now: Date,
): Answered {
  const escalation = withStandingApprovals({ ...stored, answers: stored.answers + 1 }, given.roles)
  const refusal = refusalOf(escalation, given, now)
  if (refusal !== undefined) return { ok: false, ...refusal }
  const { answer, by } = given
  return {
    ok: true,
    escalation:
      answer.outcome === 'reject'
        ? ended(escalation, 'rejected', { by: by.userId, at: now, note: answer.note })
        : approved(escalation, {
            by: by.userId,
            at: now,
            note: answer.note,
            scope: answer.scope ?? 'call',
            ttlMinutes: answer.ttlMinutes ?? TTL_MINUTES_DEFAULT,
            keyId: by.keyId ?? null,
          }),
  }
}

export function isApprover({ rule }: Pick<Escalation, 'rule'>, role: Role): boolean {
  return rule.roles.includes(role)
}

/** Keeps earlier approvals only of people who may still approve. */
function withStandingApprovals(escalation: Escalation, roles: Roles): Escalation {
  const approvals = escalation.approvals.filter(({ by }) => mayApprove(escalation, roles.get(by)))
  return { ...escalation, approvals }
}

function mayApprove(escalation: Escalation, role: Role | undefined): boolean {
  return role !== undefined && isApprover(escalation, role)
}

/** A key cannot resolve an escalation that it asked for; its creator can (spec: decisions §4). */
export function hasAsked({ askers }: Pick<Escalation, 'askers'>, keyId: string | undefined) {
  return keyId !== undefined && askers.includes(keyId)
}

type Refusal = Omit<Exclude<Answered, { ok: true }>, 'ok'>

function refusalOf(
  escalation: Escalation,
  { answer, by, roles }: { answer: Answer; by: Answerer; roles: Roles },
  now: Date,
): Refusal | undefined {
  const { rule, approvals, sessionId } = escalation
  if (hasAsked(escalation, by.keyId)) {
    const message =
      'The key that asked cannot answer. Sign in, or use another key with the scope approve.'
    return { code: 'self_approval', message }
  }
  if (!isApprover(escalation, by.role)) {
    const roles = rule.roles.join(', ')
    const message = `Your role (${by.role}) cannot resolve this escalation. Allowed roles: ${roles}.`
    return { code: 'forbidden', message }
  }
  // Keys stay valid when their creator leaves or loses a role, but people approve.
  if (by.keyId !== undefined && !mayApprove(escalation, roles.get(by.userId))) {
    const message = 'The person who created this key can no longer resolve this escalation.'
    return { code: 'forbidden', message }
  }
  if (statusAt(escalation, now) !== 'pending') {
    return { code: 'conflict', message: 'The escalation is no longer pending.' }
  }
  if (answer.outcome === 'reject') {
    if (answer.scope === undefined && answer.ttlMinutes === undefined) return undefined
    return { code: 'invalid_request', message: 'scope, ttl_minutes: only for the outcome approve' }
  }
  if (approvals.some((one) => one.by === by.userId)) {
    const message = 'You have already approved this call. Another person must approve it as well.'
    return { code: 'self_approval', message }
  }
  if (answer.scope === 'session' && sessionId === null) {
    return { code: 'invalid_request', message: 'scope: the call has no session' }
  }
  if (answer.scope === 'session' && !rule.scopes.includes('session')) {
    return { code: 'invalid_request', message: 'scope: the policy allows approvals of calls only' }
  }
  return undefined
}

/**
 * All approvers must agree to the scope and the time: the scope is session only if all chose it, and
 * the shortest time applies.
 */
function approved(escalation: Escalation, approval: Approval): Escalation {
  const approvals = [...escalation.approvals, approval]
  if (approvals.length < escalation.rule.required) return { ...escalation, approvals }
  const isSession = approvals.every(({ scope }) => scope === 'session')
  const ttlMinutes = Math.min(...approvals.map((one) => one.ttlMinutes))
  return {
    ...ended(escalation, 'approved', approval),
    approvals,
    scope: isSession ? 'session' : 'call',
    validUntil: minutesAfter(approval.at, ttlMinutes),
    usesLeft: USES_MAX[isSession ? 'session' : 'call'],
  }
}

function ended(
  escalation: Escalation,
  status: 'approved' | 'rejected',
  { by, at, note }: { by: string; at: Date; note: string | null },
): Escalation {
  return { ...escalation, status, resolvedBy: by, resolvedAt: at, note }
}
