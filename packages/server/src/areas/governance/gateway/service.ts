import {
  assembleDecisionReceipt,
  type CallDecision,
  type DecisionReceipt,
  decisionPayload,
  decisionStatement,
} from '@touchstone/protocol/policy'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { AgentSnapshot, Contained, NamedTransaction } from './agent-snapshot.ts'
import { type GatewayCall, readCall } from './call.ts'
import {
  type Decision,
  decide,
  decideUnapproved,
  escalationReason,
  type PolicyFacts,
  type PolicyOutcome,
  policyFacts,
  policyFindings,
  type ReadyCall,
} from './decision.ts'
import type { Escalation } from './escalation.ts'
import {
  createEscalations,
  type EscalationDeps,
  type Escalations,
  type Org,
} from './escalation-service.ts'
import type { Evaluations, Holds, Nudge, Signer, Transactions } from './ports.ts'
import { createSnapshots, type SnapshotDeps } from './snapshot-service.ts'

export type GatewayDeps = EscalationDeps &
  SnapshotDeps & {
    evaluations: Evaluations
    transactions: Transactions
    holds: Holds
    signer(): Promise<Signer>
    /** Milliseconds since any moment, with fractions; never goes back. */
    elapsedMs(): number
  }

/** A decision, and what it rests on. */
export type Judged = {
  decision: CallDecision
  facts: PolicyFacts
  transactionId: string | null
  escalationId: string | null
  nudges: readonly Nudge[]
}

export type Decided = {
  decisionId: string
  judged: Judged
  agentMode: AgentSnapshot['mode']
  decidedAt: Date
  durationMs: number
  receipt: DecisionReceipt
  /** Of the receipt, as it was signed. */
  statementText: string
  /** Only of an agent that is paused or killed, and so may call nothing at all. */
  contained: Contained | undefined
}

export type GatewayService = ReturnType<typeof createGatewayService>

export function createGatewayService(deps: GatewayDeps) {
  const escalations = createEscalations(deps)
  const snapshots = createSnapshots(deps)
  return {
    escalations,

    /**
     * Whether a tool may be called now: load what the call needs, decide, then record and sign.
     * Calls that pass need no database once caches are warm; a decision that stops a call is
     * committed before it is answered.
     */
    async decide(org: Org, call: GatewayCall): Promise<Decided> {
      const startedMs = deps.elapsedMs()
      const argumentsHash = accept(call)
      const snapshot = accessible(await snapshots.get(call.agentId), org)
      const asked: Asked = { org, call, snapshot, now: deps.clock.now() }
      const named = await load(deps, escalations, asked)
      const decision = decide(snapshot, named.ready, asked.now)
      const settled = await settle(deps, escalations, { asked, named, decision, argumentsHash })
      return { ...settled, durationMs: deps.elapsedMs() - startedMs }
    },
  }
}

type Asked = { org: Org; call: GatewayCall; snapshot: AgentSnapshot; now: Date }

function accept(call: GatewayCall): string | null {
  const read = readCall(call)
  if (read.ok) return read.argumentsHash
  const { field, code, reason: message } = read
  throw new Problem('invalid_request', `${field}: ${message}`, {
    details: [{ path: `/${field}`, code, message }],
  })
}

function accessible(snapshot: AgentSnapshot | undefined, org: Org): AgentSnapshot {
  if (snapshot === undefined || snapshot.orgId !== org.orgId) {
    throw new Problem('agent_not_found', 'No such agent.')
  }
  if (snapshot.isArchived) {
    throw new Problem('conflict', 'The agent is archived; it may call nothing any more.')
  }
  return snapshot
}

/** The call with what it names: transaction, escalation and session. */
type Named = { ready: ReadyCall; transactionId: string | null }

async function load(deps: GatewayDeps, escalations: Escalations, asked: Asked): Promise<Named> {
  const { call, snapshot } = asked
  const { tool } = call
  if (snapshot.contained !== undefined) {
    const ready = { tool, hold: false, escalation: undefined, rules: NO_RULES }
    return { ready, transactionId: null }
  }
  const transaction =
    call.transactionId === undefined
      ? undefined
      : await getTransaction(deps, asked, call.transactionId)
  const escalation =
    call.escalationId === undefined
      ? undefined
      : await getEscalation(escalations, asked, call.escalationId)
  // Nothing follows from a hold for an agent that is only observed.
  const hold = snapshot.mode !== 'observe' && (await deps.holds.isHeld(sessionOf(asked)))
  const rules = await deps.evaluations.prepare(snapshot.rules, {
    agentId: call.agentId,
    tools: [tool],
    context: 'gateway',
    transaction,
    args: call.arguments,
  })
  return {
    ready: { tool, hold, escalation, rules },
    transactionId: transaction?.transactionId ?? null,
  }
}

const NO_RULES = { outcome: 'none' } as const

function sessionOf({ call, now }: Asked) {
  return { agentId: call.agentId, sessionId: call.sessionId, now }
}

async function getTransaction(
  deps: GatewayDeps,
  { org, call }: Asked,
  transactionId: string,
): Promise<NamedTransaction> {
  const found = await deps.transactions.forCall(org.orgId, call.agentId, transactionId)
  if (found === undefined) throw new Problem('not_found', 'No such transaction.')
  return found
}

async function getEscalation(
  escalations: Escalations,
  { org, call }: Asked,
  escalationId: string,
): Promise<Escalation> {
  const found = await escalations.findStored(escalationId)
  const isAboutThis =
    found?.orgId === org.orgId && found.agentId === call.agentId && found.tool === call.tool
  if (isAboutThis) return found
  const message = 'is no escalation of this agent and tool'
  throw new Problem('invalid_request', `escalation_id: ${message}`, {
    details: [{ path: '/escalation_id', code: 'unknown', message }],
  })
}

type Unsettled = {
  asked: Asked
  named: Named
  decision: Decision
  argumentsHash: string | null
}

/** Makes a decision binding: its approval used, its evaluation recorded, its receipt signed. */
async function settle(
  deps: GatewayDeps,
  escalations: Escalations,
  { asked, named, decision, argumentsHash }: Unsettled,
): Promise<Omit<Decided, 'durationMs'>> {
  const { snapshot, now } = asked
  const recorded = record(deps, asked, named.ready.rules, decision.policy)
  const { call, policy } = await useApproval(escalations, snapshot, named.ready, decision)
  if (call.decision === 'block' || call.decision === 'escalate') await recorded?.()
  const escalationId = await escalate(escalations, asked, named, { call, policy })
  // Last, after everything that may fail: a nudge is delivered only once.
  const isTold = snapshot.hasNudges && snapshot.contained === undefined
  const nudges = isTold ? await deps.holds.takeNudges(sessionOf(asked)) : []
  const { transactionId } = named
  const judged = { decision: call, facts: policyFacts(policy), transactionId, escalationId, nudges }
  const decisionId = newId('dec')
  const signed = await sign(deps, { asked, judged, decisionId, argumentsHash })
  tellAudience(deps, asked, { judged, decisionId })
  const { mode: agentMode, contained } = snapshot
  return { decisionId, judged, agentMode, decidedAt: now, ...signed, contained }
}

/** Gives what waits for the record, where there is an evaluation to record. */
function record(
  { evaluations }: GatewayDeps,
  { org, call, now }: Asked,
  rules: ReadyCall['rules'],
  policy: PolicyOutcome,
): (() => Promise<void>) | undefined {
  if (policy.outcome === 'failed') evaluations.reportFailure(policy.cause)
  if (policy.outcome !== 'evaluated' || rules.outcome !== 'ready') return undefined
  const { recorded } = evaluations.record({
    ready: rules,
    evaluation: policy.evaluation,
    orgId: org.orgId,
    agentId: call.agentId,
    now,
    sessionId: call.sessionId,
  })
  return recorded
}

/** An approval lets one call through: of two that rest on it at once, one is refused. */
async function useApproval(
  escalations: Escalations,
  snapshot: AgentSnapshot,
  ready: ReadyCall,
  decision: Decision,
): Promise<Decision> {
  if (!decision.call.approvalUsed) return decision
  const { escalation } = ready
  const isUsed = escalation !== undefined && (await escalations.use(escalation.escalationId))
  return isUsed ? decision : decideUnapproved(snapshot, ready, decision.policy)
}

/** The escalation of the decision: the one the call names, else a new one where it asks for it. */
async function escalate(
  escalations: Escalations,
  { org, call: { agentId, tool, sessionId } }: Asked,
  { ready, transactionId }: Named,
  { call, policy }: Decision,
): Promise<string | null> {
  if (ready.escalation !== undefined) return ready.escalation.escalationId
  if (call.decision !== 'escalate') return null
  const wanted = {
    agentId,
    tool,
    sessionId: sessionId ?? null,
    transactionId,
    reason: escalationReason(call),
  }
  return (await escalations.open(org, wanted, policyFindings(policy))).escalationId
}

type ToSign = { asked: Asked; judged: Judged; decisionId: string; argumentsHash: string | null }

async function sign(
  deps: GatewayDeps,
  { asked, judged, decisionId, argumentsHash }: ToSign,
): Promise<Pick<Decided, 'receipt' | 'statementText'>> {
  const statement = decisionStatement({
    decision_id: decisionId,
    decision: judged.decision.decision,
    agent_id: asked.call.agentId,
    tool: asked.call.tool,
    arguments_hash: argumentsHash,
    policy_id: judged.facts.policyId,
    policy_version: judged.facts.policyVersion,
    transaction_id: judged.transactionId,
    escalation_id: judged.escalationId,
    decided_at: asked.now.toISOString(),
  })
  const { keyId, signAside } = await deps.signer()
  const statementText = decisionPayload(statement)
  const signature = (await signAside(statementText)).toString('base64')
  return { receipt: assembleDecisionReceipt(statement, { keyId, signature }), statementText }
}

function tellAudience(
  { audience }: GatewayDeps,
  { org, call, now }: Asked,
  { judged, decisionId }: { judged: Judged; decisionId: string },
): void {
  audience.tell(org.orgId, () => ({
    type: 'gateway.decision',
    at: now,
    data: {
      decision_id: decisionId,
      agent_id: call.agentId,
      session_id: call.sessionId ?? null,
      tool: call.tool,
      decision: judged.decision.decision,
      escalation_id: judged.escalationId,
    },
  }))
}
