import { roundTo } from '@touchstone/protocol/base'
import { ENFORCEMENT_MODES } from '@touchstone/protocol/policy'
import { type Static, Type } from 'typebox'
import { DecisionOutcome, DecisionReasons, DecisionReceipt } from '../../../decision-wire.ts'
import { boundAgentOf, type Caller as RequestCaller } from '../../../http/identity/caller.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { ContainmentRefusal, Nullable } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Contained } from './agent-snapshot.ts'
import type { GatewayCall } from './call.ts'
import type { SignedDecision } from './call-request-service.ts'
import type { Caller, Nudge } from './ports.ts'

export const DecideBody = NamedObject('ToolCall', {
  agent_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'needed unless the API key is bound to an agent, which is the default then',
    }),
  ),
  tool: Type.String({ description: '1 to 256 characters without white space' }),
  arguments: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'the arguments of the call, at most 1 MB; conditions can refer to them; stored only if the call is escalated',
    }),
  ),
  justification: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: "the agent's own words, shown to the person who approves as untrusted text",
    }),
  ),
  session_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' })),
  call_id: Type.Optional(
    Type.String({
      pattern: '^[\\x20-\\x7e]{1,128}$',
      description: 'your own id of the tool call, such as an MCP request id',
    }),
  ),
  transaction_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'the transaction of the call; X-Transaction-Id is accepted, too',
    }),
  ),
  escalation_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'from an earlier decision about the same call; a call with equal agent, tool, session and arguments also uses its approval without it',
    }),
  ),
})

export function toCall(
  body: Static<typeof DecideBody>,
  caller: RequestCaller,
  transactionHeader: string | string[] | undefined,
): GatewayCall {
  const agentId = body.agent_id ?? boundAgentOf(caller)
  if (agentId === undefined) {
    const message = 'is required, because the caller is not bound to an agent'
    throw new Problem('invalid_request', `agent_id ${message}`, {
      details: [{ path: '/agent_id', code: 'required', message }],
    })
  }
  const inHeader = typeof transactionHeader === 'string' ? transactionHeader : undefined
  if (inHeader !== undefined && inHeader !== (body.transaction_id ?? inHeader)) {
    const message = 'differs from X-Transaction-Id; name the transaction once'
    throw new Problem('invalid_request', `transaction_id ${message}`, {
      details: [{ path: '/transaction_id', code: 'duplicate', message }],
    })
  }
  return {
    agentId,
    tool: body.tool,
    arguments: body.arguments,
    justification: body.justification,
    sessionId: body.session_id,
    callId: body.call_id,
    transactionId: body.transaction_id ?? inHeader,
    escalationId: body.escalation_id,
  }
}

const Notice = NamedObject('Nudge', {
  nudge_id: Type.String(),
  agent_id: Type.String(),
  session_id: Type.String(),
  checkpoint_id: Type.String(),
  message: Type.String(),
  status: Type.Literal('delivered', { description: 'delivered with this decision, and only once' }),
  created_at: Type.String(),
  delivered_at: Type.String(),
})

const CLIENT_LENGTH_MAX = 64

/**
 * Source and enforcement follow from the credential. The name of the client program is free text, which
 * is cut, because it decides nothing.
 */
export function toCaller(
  askedBy: string,
  caller: RequestCaller,
  client: string | string[] | undefined,
): Caller {
  const name = typeof client === 'string' ? client.slice(0, CLIENT_LENGTH_MAX) : ''
  const isKey = caller.kind === 'key'
  return {
    askedBy,
    source: isKey ? caller.client : 'api',
    enforced: !isKey || caller.enforces,
    client: name === '' ? null : name,
    isBound: isKey && caller.agentId !== null,
  }
}

export const DecisionAnswer = NamedObject('Decision', {
  decision_id: Type.String(),
  decision: DecisionOutcome,
  reasons: DecisionReasons,
  verdict: Nullable(NamedEnum('PolicyVerdict', ['pass', 'warn', 'fail'])),
  enforcement_mode: Nullable(
    NamedEnum('PolicyMode', [...ENFORCEMENT_MODES], {
      description: 'the mode of the policy; null if it could not be evaluated',
    }),
  ),
  agent_enforcement_mode: NamedEnum('EnforcementMode', ['observe', 'nudge', 'enforce']),
  policy_id: Nullable(Type.String()),
  policy_version: Nullable(Type.Integer()),
  transaction_id: Nullable(Type.String()),
  escalation_id: Nullable(Type.String()),
  notices: Type.Array(Notice),
  decided_at: Type.String(),
  duration_ms: Type.Number({ description: 'the time to decide, without signing and storing' }),
  recorded: Type.Optional(
    Type.Literal(false, {
      description: 'present if the database is down; the decision is stored when it is up',
    }),
  ),
  receipt: DecisionReceipt,
})

export const Refused = NamedObject(
  'ContainedDecision',
  {
    ...ContainmentRefusal,
    decision: Type.Optional(Type.Literal('block')),
    decision_id: Type.Optional(Type.String()),
    receipt: Type.Optional(DecisionReceipt),
  },
  {
    description:
      'Your role or the scope of your key does not allow this, or the agent is paused or killed',
  },
)

/** Writes the decision as JSON and reuses the statement, which was serialised to be signed. */
export function writeDecision(decided: SignedDecision): string {
  const rest = JSON.stringify(toUnsigned(decided)).slice(0, -1)
  const { batch, signature } = decided.receipt
  const proof = JSON.stringify({ batch, signature }).slice(1)
  return `${rest},"receipt":{"statement":${decided.statementText},${proof}}`
}

function toUnsigned(decided: SignedDecision): Omit<Static<typeof DecisionAnswer>, 'receipt'> {
  const { result } = decided
  return {
    decision_id: decided.decisionId,
    decision: result.decision.decision,
    reasons: [...result.decision.reasons],
    verdict: result.facts.verdict,
    enforcement_mode: result.facts.mode,
    agent_enforcement_mode: decided.agentMode,
    policy_id: result.facts.policyId,
    policy_version: result.facts.policyVersion,
    transaction_id: result.transactionId,
    escalation_id: result.escalationId,
    notices: result.nudges.map((nudge) => toNotice(nudge, decided.decidedAt)),
    decided_at: decided.receipt.statement.decided_at,
    duration_ms: roundTo(decided.durationMs, 3),
    ...(decided.isRecorded ? {} : { recorded: false as const }),
  }
}

function toNotice(nudge: Nudge, deliveredAt: Date): Static<typeof Notice> {
  return {
    nudge_id: nudge.nudgeId,
    agent_id: nudge.agentId,
    session_id: nudge.sessionId,
    checkpoint_id: nudge.checkpointId,
    message: nudge.message,
    status: 'delivered',
    created_at: nudge.createdAt.toISOString(),
    delivered_at: deliveredAt.toISOString(),
  }
}

/** The containment error with the decision (spec: control §2.2). */
export function toRefused(
  { status, containedAt }: Contained,
  decided: SignedDecision,
): Static<typeof Refused> {
  return {
    error: 'forbidden',
    message: `Agent is ${status}`,
    type: 'containment_error',
    reason: status === 'paused' ? 'agent_paused' : 'agent_killed',
    agent_id: decided.receipt.statement.agent_id,
    containment_status: status,
    contained_at: containedAt.toISOString(),
    decision: 'block',
    decision_id: decided.decisionId,
    receipt: decided.receipt,
  }
}
