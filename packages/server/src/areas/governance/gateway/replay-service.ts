import { isDeepStrictEqual } from 'node:util'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import type { CallApproval } from './call-approval.ts'
import {
  type CallRequest,
  questionOf,
  type SignedDecision,
  type Unsettled,
} from './call-request-service.ts'
import { type Decision, decideByPolicy, policyFacts, withFindings } from './decision.ts'
import type { Approvals, KeptDecision, KeptDecisions } from './ports.ts'
import { earlierFindings } from './session-rules-service.ts'

/** How long an answer is repeated (spec: decisions §7). */
const KEPT_MS = MINUTE_MS

export type ReplayDeps = { approvals: Approvals; kept: KeptDecisions }

/**
 * Finds the answer to a request that is repeated: the decision that an Idempotency-Key refers to, or
 * one with the same call_id. The call is decided again without effects, and the kept answer is returned
 * only if containment, hold, policy, card, transaction and escalation still lead to it, with what the
 * rules over its session found then. A stale answer is therefore impossible, on whichever node it was
 * given. Once the call was made, the same request is about another call, which takes counts and needs
 * an approval of its own.
 */
export async function findReplay(
  { approvals, kept }: ReplayDeps,
  unsettled: Unsettled,
  decisionId: string | undefined,
): Promise<SignedDecision | undefined> {
  const { request } = unsettled
  // A model never repeats a request: some servers give equal ids to different calls.
  if (request.call.turn !== undefined) return undefined
  for (const candidate of await candidatesOf(kept, request, decisionId)) {
    if (!isSameCall(candidate, request)) continue
    if (wasMade(candidate)) return undefined
    const again = await decideAgain(approvals, unsettled, candidate)
    return again !== undefined && isUnchanged(candidate, request, again)
      ? toAnswer(candidate, request, again)
      : undefined
  }
  return undefined
}

async function candidatesOf(
  kept: KeptDecisions,
  { org: { orgId }, call, now }: CallRequest,
  decisionId: string | undefined,
): Promise<readonly KeptDecision[]> {
  if (decisionId !== undefined) {
    const found = await kept.find(orgId, decisionId)
    return found === undefined ? [] : [found]
  }
  if (call.callId === undefined) return []
  const { agentId, callId } = call
  return kept.listOfCall({ orgId, agentId, callId, since: later(now, -KEPT_MS) })
}

/** A caller repeats its own request: another key with the same ids gets a decision of its own. */
function isSameCall(
  kept: KeptDecision,
  { call, caller, argumentsHash, now }: CallRequest,
): boolean {
  return (
    kept.decidedAt >= later(now, -KEPT_MS) &&
    kept.agentId === call.agentId &&
    kept.sessionId === (call.sessionId ?? null) &&
    kept.callId === (call.callId ?? null) &&
    kept.tool === call.tool &&
    kept.argumentsHash === argumentsHash &&
    kept.transactionId === (call.transactionId ?? null) &&
    kept.escalationId === (call.escalationId ?? kept.escalationId) &&
    kept.askedBy === caller.askedBy &&
    kept.source === caller.source &&
    kept.enforced === caller.enforced
  )
}

/** Undefined if the escalation of the kept decision has changed. */
async function decideAgain(
  approvals: Approvals,
  unsettled: Unsettled,
  kept: KeptDecision,
): Promise<Decision | undefined> {
  const { request, loaded } = unsettled
  const asLoaded = () => asKept(unsettled, kept, loaded.ready.approval)
  if (kept.escalationId === null || request.snapshot.contained !== undefined) return asLoaded()
  // A limit may stop a call that found an approval for its other findings.
  const foundApproval =
    request.call.escalationId === undefined && kept.reasons.some(({ code }) => code === 'approved')
  if (kept.decision === 'block' && !foundApproval) return asLoaded()
  const approval = await approvals.findUsed(kept.escalationId, questionOf(request))
  // Once it is approved or rejected, the call that waits for it is decided again.
  if (kept.decision === 'escalate') return approval?.standing === 'pending' ? asLoaded() : undefined
  // Uses the approval as the kept decision did: its own use of it does not count.
  return approval?.standing === 'approved' ? asKept(unsettled, kept, approval) : undefined
}

/** Decides the call with the findings of the session that the kept decision was made with. */
function asKept(
  unsettled: Unsettled,
  kept: KeptDecision,
  approval: CallApproval | undefined,
): Decision {
  const { request, loaded, decision } = unsettled
  const findings = earlierFindings(unsettled, kept.reasons, approval)
  if (findings.length === 0 && approval === loaded.ready.approval) return decision
  const policy = withFindings(decision.policy, findings)
  return decideByPolicy(request.snapshot, { ...loaded.ready, approval }, policy)
}

function wasMade({ outcome }: KeptDecision): boolean {
  return outcome !== null && outcome.status !== 'not_executed'
}

function isUnchanged(kept: KeptDecision, { snapshot }: CallRequest, again: Decision): boolean {
  const facts = policyFacts(again.policy)
  const { rules, contained } = snapshot
  const changedAt = rules.readable ? rules.effective.policy?.resolution.changedAt : undefined
  return (
    kept.decision === again.call.decision &&
    kept.agentEnforcementMode === snapshot.mode &&
    kept.verdict === facts.verdict &&
    kept.enforcementMode === facts.mode &&
    kept.policyId === facts.policyId &&
    kept.policyVersion === facts.policyVersion &&
    // The organisation's policy may have changed beside that of the agent.
    (changedAt ?? kept.decidedAt) <= kept.decidedAt &&
    (contained?.containedAt ?? kept.decidedAt) <= kept.decidedAt &&
    isDeepStrictEqual(kept.reasons, again.call.reasons)
  )
}

/** Notices are delivered once, with the first answer. */
function toAnswer(kept: KeptDecision, { snapshot }: CallRequest, again: Decision): SignedDecision {
  const { decisionId, receipt, statementText, decidedAt, durationMs } = kept
  const { transactionId, escalationId } = kept
  return {
    decisionId,
    receipt,
    statementText,
    decidedAt,
    durationMs,
    result: {
      decision: again.call,
      facts: policyFacts(again.policy),
      transactionId,
      escalationId,
      nudges: [],
    },
    agentMode: snapshot.mode,
    contained: snapshot.contained,
    isRecorded: true,
    isReplayed: true,
  }
}
