import {
  openFlows,
  type Reservation,
  type SessionFinding,
  sessionDemand,
} from '@touchstone/protocol/policy'
import type { AgentSnapshot, Prepared } from './agent-snapshot.ts'
import { type Decision, decideByPolicy, type ReadyCall, withFindings } from './decision.ts'
import type { Ledger, NewDecision, SessionCounters } from './ports.ts'

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

/** Reads the database only for a call that a flow may stop. */
async function checkSession(
  counters: SessionCounters,
  rules: Prepared,
  call: {
    orgId: string
    agentId: string
    tool: string
    argumentsHash: string | null
    sessionId: string | null
    now: Date
  },
): Promise<SessionCheck> {
  if (rules.outcome !== 'ready') return NO_SESSION_RULES
  const { sessionRules, defaults } = rules.callPolicy.compiled
  if (sessionRules === undefined || defaults.enforcement_mode === 'off') return NO_SESSION_RULES
  const nowMs = call.now.getTime()
  const { reservations, flows } = sessionDemand(sessionRules, { ...call, nowMs })
  if (flows.length === 0) return { findings: [], reservations, lifts: [] }
  const keys = flows.flatMap(({ markKey, lift }) => [markKey, lift.key])
  const open = openFlows(flows, await counters.find(call, keys), nowMs)
  return {
    findings: open.map(({ finding }) => finding),
    reservations,
    lifts: open.map(({ lift }) => lift),
  }
}

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

/** Decides the call again if a flow stops it. */
export async function underSessionRules<Of extends Unrecorded>(
  counters: SessionCounters,
  unrecorded: Of,
): Promise<Of> {
  const { request, loaded } = unrecorded
  const { org, call, argumentsHash, now } = request
  const session = await checkSession(counters, loaded.ready.rules, {
    orgId: org.orgId,
    agentId: call.agentId,
    tool: call.tool,
    argumentsHash,
    sessionId: call.sessionId ?? null,
    now,
  })
  return decideAgain({ ...unrecorded, session }, session.findings)
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

/** A call that is let through takes its counts in the transaction that stores the decision. */
export function recordWithin(
  ledger: Pick<Ledger, 'record' | 'recordCounted'>,
  decision: NewDecision,
  reservations: readonly Reservation[],
) {
  return reservations.length === 0
    ? ledger.record(decision)
    : ledger.recordCounted(decision, reservations)
}
