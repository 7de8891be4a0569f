import {
  assembleDecisionReceipt,
  type CallDecision,
  type DecisionReceipt,
  decisionPayload,
  decisionStatement,
} from '@touchstone/protocol/policy'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type Prompt, promptly } from '../../../kernel/promptly.ts'
import { type GatewayCall, readCall } from './call.ts'
import {
  decide,
  escalationReason,
  type Grounds,
  type LiveOutcome,
  type PolicyFacts,
  policyFacts,
  policyFindings,
} from './decision.ts'
import { type Escalation, standingAt } from './escalation.ts'
import {
  createEscalations,
  type EscalationDeps,
  type Escalations,
  type Org,
} from './escalation-service.ts'
import type {
  Audience,
  Contained,
  Containment,
  Evaluations,
  Holds,
  NamedTransaction,
  Nudge,
  Signer,
  Transactions,
} from './ports.ts'

export type GatewayDeps = EscalationDeps & {
  evaluations: Evaluations
  transactions: Transactions
  containment: Containment
  holds: Holds
  signer(): Promise<Signer>
  /** Milliseconds since any moment, with fractions; never goes back. */
  elapsedMs(): number
}

/** What came out, and what it rests on. */
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
  agentMode: Grounds['agentMode']
  decidedAt: Date
  durationMs: number
  receipt: DecisionReceipt
  /** Of the receipt, as it was signed. */
  statementText: string
  /** Only of an agent that may call nothing at all. */
  contained: Contained | undefined
}

export type GatewayService = ReturnType<typeof createGatewayService>

export function createGatewayService(deps: GatewayDeps) {
  const escalations = createEscalations(deps)
  return { ...deciding(deps, escalations), escalations }
}

function deciding(deps: GatewayDeps, escalations: Escalations) {
  return {
    /**
     * Whether a tool may be called now. What lets a call through needs no database once caches are
     * warm; what stops one is stored before it is said.
     */
    async decide(org: Org, call: GatewayCall): Promise<Decided> {
      const startedMs = deps.elapsedMs()
      const argumentsHash = accept(call)
      // Here and below: to wait for what is in memory costs more than to look.
      const mode = modeOf(deps, org, call.agentId)
      const agentMode = mode instanceof Promise ? await mode : mode
      const asked: Asked = { org, call, agentMode, now: deps.clock.now() }
      const state = findContained(deps, call.agentId)
      const contained = state instanceof Promise ? await state : state
      const judged =
        contained === undefined
          ? await judge(deps, escalations, asked)
          : refuseContained(asked, contained.status)
      const decisionId = newId('dec')
      const signed = await sign(deps, { asked, judged, decisionId, argumentsHash })
      const durationMs = deps.elapsedMs() - startedMs
      tellDecision(deps.audience, asked, { judged, decisionId })
      const { receipt, statementText } = signed
      return {
        decisionId,
        judged,
        agentMode,
        decidedAt: asked.now,
        durationMs,
        receipt,
        statementText,
        contained,
      }
    },
  }
}

function tellDecision(
  audience: Audience,
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

type Asked = { org: Org; call: GatewayCall; agentMode: Grounds['agentMode']; now: Date }

function accept(call: GatewayCall): string | null {
  const read = readCall(call)
  if (read.ok) return read.argumentsHash
  const { field, code, reason: message } = read
  throw new Problem('invalid_request', `${field}: ${message}`, {
    details: [{ path: `/${field}`, code, message }],
  })
}

function modeOf(deps: GatewayDeps, org: Org, agentId: string): Prompt<Grounds['agentMode']> {
  return promptly(deps.agents.findKnown(agentId), (agent) => {
    if (agent === undefined || agent.orgId !== org.orgId) {
      throw new Problem('agent_not_found', 'No such agent.')
    }
    if (agent.status === 'archived') {
      throw new Problem('conflict', 'The agent is archived; it may call nothing any more.')
    }
    return agent.enforcementMode
  })
}

function findContained(deps: GatewayDeps, agentId: string): Prompt<Contained | undefined> {
  return promptly(deps.containment.stateOf(agentId), (state) =>
    state.status === 'active' ? undefined : state,
  )
}

function refuseContained({ call, agentMode }: Asked, containment: Contained['status']): Judged {
  const policy = { outcome: 'none' } as const
  const grounds = { tool: call.tool, containment, hold: false, agentMode, standing: undefined }
  return {
    decision: decide({ ...grounds, policy }),
    facts: policyFacts(policy),
    transactionId: null,
    escalationId: null,
    nudges: [],
  }
}

async function judge(deps: GatewayDeps, escalations: Escalations, asked: Asked): Promise<Judged> {
  const { org, call, agentMode, now } = asked
  const transaction =
    call.transactionId === undefined
      ? undefined
      : await getTransaction(deps, asked, call.transactionId)
  const named =
    call.escalationId === undefined
      ? undefined
      : await getNamed(escalations, asked, call.escalationId)
  const ofSession = { agentId: call.agentId, sessionId: call.sessionId, now }
  // Nothing follows from it for an agent that is only observed.
  const hold = agentMode !== 'observe' && (await deps.holds.isHeld(ofSession))
  const evaluated = evaluate(deps, asked, transaction)
  const policy = evaluated instanceof Promise ? await evaluated : evaluated
  const grounds: Grounds = {
    tool: call.tool,
    containment: 'active',
    hold,
    agentMode,
    policy,
    standing: named && standingAt(named, now),
  }
  const first = decide(grounds)
  const decision = first.approvalUsed ? await useApproval(escalations, grounds, named) : first
  if (decision.decision === 'block' || decision.decision === 'escalate') await stored(policy)
  const transactionId = transaction?.transactionId ?? null
  const asksNow = decision.decision === 'escalate' && named === undefined
  const opened = asksNow
    ? await escalations.open(
        org,
        {
          agentId: call.agentId,
          tool: call.tool,
          sessionId: call.sessionId ?? null,
          transactionId,
          reason: escalationReason(decision),
        },
        policyFindings(policy),
      )
    : named
  // Last, after all that may fail: what is taken is told only once.
  const nudges = deps.holds.takeNudges(ofSession)
  return {
    decision,
    facts: policyFacts(policy),
    transactionId,
    escalationId: opened?.escalationId ?? null,
    nudges: nudges instanceof Promise ? await nudges : nudges,
  }
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

/** The escalation that the call names. */
async function getNamed(
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

function evaluate(
  deps: GatewayDeps,
  { org, call, now }: Asked,
  transaction: NamedTransaction | undefined,
): Prompt<LiveOutcome> {
  return deps.evaluations.live({
    orgId: org.orgId,
    agentId: call.agentId,
    tools: [call.tool],
    context: 'gateway',
    now,
    transaction,
    args: call.arguments,
    sessionId: call.sessionId,
  })
}

async function stored(policy: LiveOutcome): Promise<void> {
  if (policy.outcome === 'evaluated') await policy.recorded()
}

/** An approval lets one call through: of two that rest on it at once, one is refused. */
async function useApproval(
  escalations: Escalations,
  grounds: Grounds,
  named: Escalation | undefined,
): Promise<CallDecision> {
  const isUsed = named !== undefined && (await escalations.use(named.escalationId))
  return decide(isUsed ? grounds : { ...grounds, standing: 'refused' })
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
