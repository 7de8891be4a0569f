import { toLiveDecision } from '../../../decision-wire.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { isDatabaseDown } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { AgentSnapshot, CallTransaction } from './agent-snapshot.ts'
import {
  isStopped,
  orGiveBack,
  useApproval,
  withApproval,
  withoutUse,
} from './approval-use-service.ts'
import { type GatewayCall, validateCall } from './call.ts'
import {
  type CallRequest,
  type DecisionResult,
  type LoadedCall,
  questionOf,
  type SignedDecision,
  subjectOf,
  type Unsettled,
} from './call-request-service.ts'
import {
  approvalFindings,
  type Decision,
  decide,
  decideUnrecorded,
  escalationReason,
  type PolicyOutcome,
  policyFacts,
  policyFindings,
  type ReadyCall,
} from './decision.ts'
import type {
  Approvals,
  Caller,
  Evaluations,
  Holds,
  Ledger,
  LiveStream,
  NewDecision,
  Opening,
  Org,
  Recorder,
  SessionCounters,
  Transactions,
} from './ports.ts'
import { findReplay, type ReplayDeps } from './replay-service.ts'
import {
  decideExceeded,
  NO_SESSION_RULES,
  recordWithin,
  reservationsOf,
  underSessionRules,
} from './session-rules-service.ts'
import { createSnapshots, type SnapshotDeps } from './snapshot-service.ts'

export type GatewayDeps = SnapshotDeps &
  ReplayDeps & {
    clock: Clock
    stream: LiveStream
    approvals: Approvals
    evaluations: Evaluations
    transactions: Transactions
    holds: Holds
    ledger: Ledger
    sessionCounters: SessionCounters
    /** A monotonic clock in milliseconds, with fractions. */
    elapsedMs(): number
  }

type DecideWith = { recorder: Recorder; sessionCounters: SessionCounters }

export type GatewayService = ReturnType<typeof createGatewayService>

export function createGatewayService(deps: GatewayDeps) {
  const snapshots = createSnapshots(deps)
  const alone: DecideWith = { recorder: deps.ledger, sessionCounters: deps.sessionCounters }
  return {
    /**
     * Decides whether a tool may be called now: load the facts, decide, then sign and store. Every
     * decision is committed before it is answered; once caches are warm nothing else waits for the
     * database. A repeated request gets its first answer again: that of the given decision, or one with
     * the same call_id.
     */
    async decide(
      org: Org,
      call: GatewayCall,
      caller: Caller,
      repeatedId?: string,
      { recorder, sessionCounters }: DecideWith = alone,
    ): Promise<SignedDecision> {
      const startedMs = deps.elapsedMs()
      const argumentsHash = validateAndHash(call)
      const snapshot = requireOwnAgent(await snapshots.get(call.agentId), org)
      const now = deps.clock.now()
      const request: CallRequest = {
        decisionId: deps.ledger.newId(now),
        org,
        call,
        caller,
        argumentsHash,
        snapshot,
        now,
        startedMs,
      }
      const loaded = await loadCall(deps, request)
      const decision = decide(snapshot, loaded.ready, now)
      const session = NO_SESSION_RULES
      const unsettled = { request, loaded, decision, session, isApprovalUsed: false }
      try {
        const kept = await findReplay(deps, unsettled, repeatedId)
        if (kept !== undefined) return kept
        const checked = await underSessionRules(sessionCounters, unsettled)
        return await settle(deps, await withApproval(deps, checked), recorder)
      } catch (err) {
        if (!isDatabaseDown(err)) throw err
        return settleUnrecorded(deps, unsettled)
      }
    },
  }
}

function validateAndHash(call: GatewayCall): string | null {
  const checked = validateCall(call)
  if (checked.ok) return checked.argumentsHash
  const { field, code, reason: message } = checked
  throw new Problem('invalid_request', `${field}: ${message}`, {
    details: [{ path: `/${field}`, code, message }],
  })
}

function requireOwnAgent(snapshot: AgentSnapshot | undefined, org: Org): AgentSnapshot {
  if (snapshot === undefined || snapshot.orgId !== org.orgId) {
    throw new Problem('agent_not_found', 'No such agent.')
  }
  if (snapshot.isArchived) {
    throw new Problem('conflict', 'The agent is archived and cannot call tools.')
  }
  return snapshot
}

async function loadCall(deps: GatewayDeps, request: CallRequest): Promise<LoadedCall> {
  const { org, call, snapshot } = request
  const { tool } = call
  if (snapshot.contained !== undefined) {
    const ready = {
      tool,
      hold: false,
      approval: undefined,
      rules: NO_RULES,
      isUnreadable: false,
    }
    return { ready, transactionId: null }
  }
  const transaction =
    call.transactionId === undefined
      ? undefined
      : await getTransaction(deps, request, call.transactionId)
  const approval =
    call.escalationId === undefined
      ? undefined
      : await deps.approvals.getNamed(org.orgId, call.escalationId, questionOf(request))
  // In enforcement mode observe a hold has no effect, so it is not read.
  const hold =
    snapshot.mode !== 'observe' &&
    (call.turn?.isHeld === true || (await deps.holds.isHeld(sessionOf(request))))
  const rules = await deps.evaluations.prepare(snapshot.rules, {
    agentId: call.agentId,
    tools: [tool],
    context: 'gateway',
    transaction,
    args: call.arguments,
  })
  return {
    ready: { tool, hold, approval, rules, isUnreadable: call.turn?.isUnreadable === true },
    transactionId: transaction?.transactionId ?? null,
  }
}

const NO_RULES = { outcome: 'none' } as const

function sessionOf({ call, now }: CallRequest) {
  return { agentId: call.agentId, sessionId: call.sessionId, now }
}

async function getTransaction(
  deps: GatewayDeps,
  { org, call }: CallRequest,
  transactionId: string,
): Promise<CallTransaction> {
  const found = await deps.transactions.forCall(org.orgId, call.agentId, transactionId)
  if (found === undefined) throw new Problem('not_found', 'No such transaction.')
  return found
}

/** Makes a decision binding: uses its approval, opens its escalation, signs and stores it. */
async function settle(
  deps: GatewayDeps,
  unsettled: Unsettled,
  recorder: Recorder,
): Promise<SignedDecision> {
  const { request, loaded, decision } = unsettled
  const { snapshot, now } = request
  const { call, policy } = unsettled.isApprovalUsed
    ? decision
    : await useApproval(deps, snapshot, loaded.ready, decision)
  const reservations = reservationsOf({ ...unsettled, decision: { call, policy } })
  const note = () => noteEvaluation(deps, request, loaded.ready.rules, policy)
  // A call that exceeds a limit is decided and noted again.
  const noted = reservations.length === 0 ? note() : undefined
  // A call that was stopped has its events; one that may be made does not wait for them.
  if (isStopped({ call, policy })) await noted?.()
  const { named, opening } = await escalationOf(deps, request, loaded, { call, policy })
  const { transactionId } = loaded
  const facts = policyFacts(policy)
  const durationMs = deps.elapsedMs() - request.startedMs
  const decided = { decision: call, facts, transactionId, escalationId: named, durationMs }
  const isApprovalUsed = unsettled.isApprovalUsed || call.approvalUsed
  const recorded = await orGiveBack(
    deps.approvals,
    isApprovalUsed ? loaded.ready.approval : undefined,
    recordWithin(recorder, toRecord(request, decided), reservations, opening),
  )
  if ('exceeded' in recorded) {
    const again = decideExceeded({ ...unsettled, isApprovalUsed }, recorded.exceeded)
    const kept = await withApproval(deps, await withoutUse(deps.approvals, again))
    return settle(deps, kept, recorder)
  }
  if (reservations.length > 0) note()
  // After everything that may fail, because a nudge is delivered only once.
  const deliversNudges =
    snapshot.hasNudges && snapshot.contained === undefined && request.call.turn === undefined
  const nudges = deliversNudges ? await deps.holds.takeNudges(sessionOf(request)) : []
  const { isWaiting, escalationId, ...rest } = recorded
  const result = { decision: call, facts, transactionId, escalationId, nudges }
  publishDecision(deps, request, { result, decisionId: recorded.decisionId })
  const { mode: agentMode, contained } = snapshot
  const answered = { isRecorded: isWaiting !== true, isReplayed: false }
  return { ...rest, result, agentMode, decidedAt: now, durationMs, contained, ...answered }
}

/**
 * Without the database no decision can be stored, which counts as a failed evaluation: `fail_open`
 * allows calls with a warning, and everything else is blocked (spec: decisions §2). No approval is used
 * and no escalation opened. It has an id of its own: the record that failed may have been committed.
 */
async function settleUnrecorded(
  deps: GatewayDeps,
  { request, loaded, decision }: Unsettled,
): Promise<SignedDecision> {
  const { snapshot, now } = request
  const { approval, rules } = loaded.ready
  const facts = policyFacts(decision.policy)
  const escalationId = approval?.escalationId ?? null
  const { transactionId } = loaded
  const call = decideUnrecorded(decision.call, rules, request.call.tool)
  const durationMs = deps.elapsedMs() - request.startedMs
  const decided = { decision: call, facts, transactionId, escalationId, durationMs }
  const decisionId = deps.ledger.newId(now)
  const recorded = await deps.ledger.recordLater(toRecord({ ...request, decisionId }, decided))
  return {
    ...recorded,
    result: { decision: call, facts, transactionId, escalationId, nudges: [] },
    agentMode: snapshot.mode,
    decidedAt: now,
    durationMs,
    contained: snapshot.contained,
    isRecorded: false,
    isReplayed: false,
  }
}

type Decided = Omit<DecisionResult, 'nudges'> & { durationMs: number }

function toRecord(request: CallRequest, decided: Decided): NewDecision {
  const { decisionId, org, call, caller, argumentsHash, snapshot, now } = request
  const { decision, facts, transactionId, escalationId, durationMs } = decided
  return {
    decisionId,
    orgId: org.orgId,
    agentId: call.agentId,
    sessionId: call.sessionId ?? null,
    callId: call.callId ?? null,
    tool: call.tool,
    argumentsHash,
    decision: decision.decision,
    reasons: decision.reasons,
    verdict: facts.verdict,
    enforcementMode: facts.mode,
    agentEnforcementMode: snapshot.mode,
    policyId: facts.policyId,
    policyVersion: facts.policyVersion,
    transactionId,
    escalationId,
    decidedAt: now,
    durationMs,
    askedBy: caller.askedBy,
    source: caller.source,
    enforced: caller.enforced,
    client: caller.client,
  }
}

/**
 * Counts the evaluation, if there is one, and queues the events of violations and the first sightings
 * of tools. Returns a function that awaits their commit.
 */
function noteEvaluation(
  { evaluations }: GatewayDeps,
  { org, call, now }: CallRequest,
  rules: ReadyCall['rules'],
  policy: PolicyOutcome,
): (() => Promise<void>) | undefined {
  if (policy.outcome === 'failed') evaluations.reportFailure(policy.cause)
  if (policy.outcome !== 'evaluated' || rules.outcome !== 'ready') return undefined
  return evaluations.note({
    ready: rules,
    evaluation: policy.evaluation,
    orgId: org.orgId,
    agentId: call.agentId,
    now,
    sessionId: call.sessionId,
  })
}

/** The escalation that the call names, or the one to open if the decision is to escalate. */
async function escalationOf(
  { approvals }: GatewayDeps,
  request: CallRequest,
  { ready, transactionId }: LoadedCall,
  { call, policy }: Decision,
): Promise<{ named: string | null; opening?: Opening }> {
  const { approval } = ready
  // An approval that does not lift every finding leaves something to ask for.
  const asksAgain = approval?.standing === 'approved' && call.decision === 'escalate'
  if (approval?.standing === 'pending' && call.decision === 'escalate') {
    await approvals.addAsker(approval.escalationId, request.caller.askedBy)
  }
  if (approval !== undefined && !asksAgain) return { named: approval.escalationId }
  if (call.decision !== 'escalate') return { named: null }
  const needed = {
    ...subjectOf(request),
    arguments: request.call.arguments,
    justification: request.call.justification ?? null,
    transactionId,
    decisionId: request.decisionId,
    requestedBy: request.caller.askedBy,
    reason: escalationReason(policy),
    findings: approvalFindings(policy),
  }
  return { named: null, opening: approvals.opening(request.org, needed, policyFindings(policy)) }
}

function publishDecision(
  { stream }: GatewayDeps,
  { org, call, caller, now }: CallRequest,
  { result, decisionId }: { result: DecisionResult; decisionId: string },
): void {
  stream.publish(org.orgId, () =>
    toLiveDecision({
      decisionId,
      agentId: call.agentId,
      sessionId: call.sessionId ?? null,
      tool: call.tool,
      decision: result.decision.decision,
      source: caller.source,
      enforced: caller.enforced,
      reasons: result.decision.reasons,
      escalationId: result.escalationId,
      decidedAt: now,
    }),
  )
}
