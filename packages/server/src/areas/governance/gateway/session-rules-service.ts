import {
  type CallDecision,
  openFlows,
  type Reservation,
  type SessionDemand,
  type SessionFinding,
  sessionDemand,
} from '@touchstone/protocol/policy'
import type { AgentSnapshot } from './agent-snapshot.ts'
import type { CallApproval } from './call-approval.ts'
import { type Decision, decideByPolicy, type ReadyCall, withFindings } from './decision.ts'
import type { Ledger, NewDecision, Opening, SessionCounters } from './ports.ts'

/** The result of the rules over a session for a call. */
export type SessionCheck = {
  /** The flows that stop the call, and the limits that it exceeds. */
  findings: readonly SessionFinding[]
  /** The counts that the call takes if it is let through. */
  reservations: readonly Reservation[]
  /** Taken with them if the call has an approval for its session: ends the flows that stop it. */
  lifts: readonly Reservation[]
}

export const NO_SESSION_RULES: SessionCheck = { findings: [], reservations: [], lifts: [] }

/** A decision that is not recorded yet, as far as the rules over a session are concerned. */
type Unrecorded = {
  request: {
    org: { orgId: string }
    call: { agentId: string; tool: string; sessionId: string | undefined }
    argumentsHash: string | null
    snapshot: AgentSnapshot
    now: Date
  }
  loaded: { ready: ReadyCall }
  decision: Decision
  session: SessionCheck
}

/** Decides the call again if a flow stops it. Reads the database only for a call that one may stop. */
export async function underSessionRules<Of extends Unrecorded>(
  counters: SessionCounters,
  unrecorded: Of,
): Promise<Of> {
  const { org, call, now } = unrecorded.request
  const { reservations, flows } = demandOf(unrecorded)
  const findings: SessionFinding[] = []
  const lifts: Reservation[] = []
  if (flows.length > 0) {
    const agent = { orgId: org.orgId, agentId: call.agentId }
    const keys = flows.flatMap(({ markKey, lift }) => [markKey, lift.key])
    for (const open of openFlows(flows, await counters.find(agent, keys), now.getTime())) {
      findings.push(open.finding)
      lifts.push(open.lift)
    }
  }
  return decideAgain({ ...unrecorded, session: { findings, reservations, lifts } }, findings)
}

const NO_DEMAND: SessionDemand = { reservations: [], flows: [] }

function demandOf({ request, loaded }: Pick<Unrecorded, 'request' | 'loaded'>): SessionDemand {
  const { rules } = loaded.ready
  if (rules.outcome !== 'ready') return NO_DEMAND
  const { sessionRules, defaults } = rules.callPolicy.compiled
  if (sessionRules === undefined || defaults.enforcement_mode === 'off') return NO_DEMAND
  const { call, argumentsHash, now } = request
  return sessionDemand(sessionRules, {
    tool: call.tool,
    argumentsHash,
    sessionId: call.sessionId ?? null,
    nowMs: now.getTime(),
  })
}

/**
 * The findings of the rules over a session behind an earlier decision of the same call: those among its
 * reasons, in their order, and those that its approval was given for. Reads no counters, which may have
 * changed since, also by the decision itself.
 */
export function earlierFindings(
  unrecorded: Pick<Unrecorded, 'request' | 'loaded'>,
  reasons: CallDecision['reasons'],
  approval: CallApproval | undefined,
): readonly SessionFinding[] {
  const { reservations, flows } = demandOf(unrecorded)
  const possible = [...flows, ...reservations].flatMap(({ finding }) =>
    finding === undefined ? [] : [finding],
  )
  const placeOf = (finding: SessionFinding): number => {
    const { type, reason } = 'violation' in finding ? finding.violation : finding.warning
    return reasons.findIndex(({ code, message }) => code === type && message === reason)
  }
  const isApproved = reasons.some(({ code }) => code === 'approved')
  const isLifted = (finding: SessionFinding): boolean =>
    isApproved &&
    'violation' in finding &&
    !finding.violation.blocking &&
    approval?.rules?.includes(finding.violation.rule) === true
  return possible
    .filter((finding) => placeOf(finding) >= 0 || isLifted(finding))
    .sort((a, b) => placeOf(a) - placeOf(b))
}

/** Decides the call again after some of its counts could not be taken. */
export function decideExceeded<Of extends Unrecorded>(
  unrecorded: Of,
  exceeded: readonly Reservation[],
): Of {
  const { findings, reservations, lifts } = unrecorded.session
  const added = exceeded.flatMap(({ finding }) => (finding === undefined ? [] : [finding]))
  const session = {
    findings: [...findings, ...added],
    reservations: reservations.filter((of) => !exceeded.includes(of)),
    lifts,
  }
  return decideAgain({ ...unrecorded, session }, added)
}

function decideAgain<Of extends Unrecorded>(unrecorded: Of, added: readonly SessionFinding[]): Of {
  if (added.length === 0) return unrecorded
  const { request, loaded, decision } = unrecorded
  const policy = withFindings(decision.policy, added)
  return { ...unrecorded, decision: decideByPolicy(request.snapshot, loaded.ready, policy) }
}

/** The counts that the decision takes. */
export function reservationsOf({ decision, loaded, session }: Unrecorded): readonly Reservation[] {
  const { decision: outcome } = decision.call
  if (outcome === 'block' || outcome === 'escalate') return []
  const { reservations, lifts } = session
  return loaded.ready.approval?.scope === 'session' ? [...reservations, ...lifts] : reservations
}

/**
 * A call that is let through takes its counts in the transaction that stores the decision; one that is
 * escalated opens its escalation there.
 */
export function recordWithin(
  ledger: Pick<Ledger, 'record' | 'recordCounted'>,
  decision: NewDecision,
  reservations: readonly Reservation[],
  opening: Opening | undefined,
) {
  return reservations.length === 0
    ? ledger.record(decision, opening)
    : ledger.recordCounted(decision, reservations)
}
