import { isDatabaseDown } from '../../../kernel/db.ts'
import type { AgentSnapshot } from './agent-snapshot.ts'
import { questionOf, type Unsettled } from './call-request-service.ts'
import { type Decision, decideByPolicy, decideUnapproved, type ReadyCall } from './decision.ts'
import type { Approvals } from './ports.ts'

type ApprovalDeps = { approvals: Approvals }

/** A call that needs an approval and names none uses the first that lifts every finding. */
export async function withApproval(
  { approvals }: ApprovalDeps,
  unsettled: Unsettled,
): Promise<Unsettled> {
  const { request, loaded, decision } = unsettled
  const isNamed = request.call.escalationId !== undefined
  if (decision.call.decision !== 'escalate' || isNamed) return unsettled
  for (const approval of await approvals.listUsable(questionOf(request))) {
    const ready = { ...loaded.ready, approval }
    const approved = decideByPolicy(request.snapshot, ready, decision.policy)
    if (!approved.call.approvalUsed) continue
    // Another call may have used it since it was read.
    if (!(await approvals.use(approval.escalationId))) continue
    return {
      ...unsettled,
      loaded: { ...loaded, ready },
      isApprovalUsed: true,
      decision: { ...approved, call: { ...approved.call, approvalUsed: false } },
    }
  }
  return unsettled
}

/** An approval allows one call: of two concurrent calls that use it, one is refused. */
export async function useApproval(
  { approvals }: ApprovalDeps,
  snapshot: AgentSnapshot,
  ready: ReadyCall,
  decision: Decision,
): Promise<Decision> {
  if (!decision.call.approvalUsed) return decision
  const { approval } = ready
  const isUsed = approval !== undefined && (await approvals.use(approval.escalationId))
  return isUsed ? decision : decideUnapproved(snapshot, ready, decision.policy)
}

/** A limit stopped a call that had used its approval: the approval stays unused. */
export async function withoutUse(approvals: Approvals, unsettled: Unsettled): Promise<Unsettled> {
  const { loaded, decision, isApprovalUsed } = unsettled
  const { approval } = loaded.ready
  if (!isApprovalUsed || approval === undefined || !isStopped(decision)) return unsettled
  await approvals.giveBack(approval.escalationId)
  return { ...unsettled, isApprovalUsed: false }
}

/**
 * A decision that cannot be stored has not used its approval. If the database went away the decision
 * may have been stored all the same, so the approval stays used.
 */
export async function orGiveBack<Stored>(
  approvals: Approvals,
  used: { escalationId: string } | undefined,
  storing: Promise<Stored>,
): Promise<Stored> {
  try {
    return await storing
  } catch (err) {
    if (used !== undefined && !isDatabaseDown(err)) await approvals.giveBack(used.escalationId)
    throw err
  }
}

export function isStopped({ call }: Decision): boolean {
  return call.decision === 'block' || call.decision === 'escalate'
}
