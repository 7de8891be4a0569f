import type { components } from '../api.ts'
import {
  hasText,
  lineOf,
  NAME_MAX,
  sanitise,
  sanitiseArguments,
  TEXT_MAX,
} from './evidence-text.ts'
import { decisionsOf, type GatheredCall, type Gathering, textsOf } from './gathering.ts'
import { isAllowed, type ToolCall, type Verdict } from './tool-call.ts'

type TraceBody = components['schemas']['NewAgentTrace']
type CheckpointBody = components['schemas']['NewCheckpoint']

/**
 * A record that waits to be sent: the trace of a call, the checkpoint of one or several calls, or
 * both. Their ids are fixed, so that sending is idempotent.
 */
export type Evidence = {
  /** The tools that it is about. */
  tools: readonly string[]
  trace: (Omit<TraceBody, 'agent_id'> & { agent_id?: string; trace_id: string }) | undefined
  checkpoint: (CheckpointBody & { agent_id?: string; checkpoint_id: string }) | undefined
}

export type Outcome = 'succeeded' | 'failed' | 'refused'

export type CallRecord = {
  /** Undefined for a key that is bound to an agent. */
  agentId: string | undefined
  traceId: string
  call: ToolCall & { sessionId: string }
  verdict: Verdict
  /** Decisions that `verdict` replaced, because a person was asked first. */
  replacedIds: readonly string[]
  /** The decision of a person, if one was asked and has decided. */
  approval?: 'approved' | 'denied' | undefined
  outcome: Outcome
  /** Values declared on the card that the agent applied. */
  values: readonly string[]
  /** Whether the trace includes the arguments. */
  recordArguments: boolean
  at: Date
}

const REASONING_MAX = 10_000
const ACTIONS_MAX = 50

/** The call as part of the checkpoint of its session. */
export function gatheredCallOf(record: CallRecord): GatheredCall {
  const { traceId, call, verdict, replacedIds, at } = record
  const { decisionId, escalationId } = verdict
  return {
    traceId,
    tool: sanitise(call.tool, NAME_MAX),
    action: actionOf(call),
    line: lineOf(call),
    thinking: [call.justification, call.thinking]
      .filter(hasText)
      .map((text) => sanitise(text, TEXT_MAX)),
    decisionIds: decisionId === null ? replacedIds : [...replacedIds, decisionId],
    isUrgent: escalationId !== null || !isAllowed(verdict),
    at,
  }
}

/** The checkpoint refers to the newest trace: a refused call is always the last one gathered. */
export function checkpointOf(
  agentId: string | undefined,
  gathering: Gathering,
): Evidence['checkpoint'] {
  const { checkpointId, sessionId, calls, newest } = gathering
  const { thinking, output } = textsOf(gathering)
  const decisionIds = decisionsOf(gathering)
  return {
    ...(agentId !== undefined && { agent_id: agentId }),
    checkpoint_id: checkpointId,
    trace_id: newest.traceId,
    session_id: sessionId,
    timestamp: newest.at.toISOString(),
    ...(thinking !== undefined && { thinking: sanitise(thinking, TEXT_MAX) }),
    output: sanitise(output, TEXT_MAX),
    actions: distinctActions(calls.map(({ action }) => action)),
    ...(decisionIds.length > 0 && { decision_ids: decisionIds }),
  }
}

/** The same evidence with the card's action names in place of tool names, where a tool has some. */
export function withActions(
  { tools, trace, checkpoint }: Evidence,
  actionsOf: ReadonlyMap<string, readonly string[]>,
): Evidence {
  const named = (name: string) => {
    const actions = actionsOf.get(name) ?? []
    return actions.length === 0 ? [name] : actions
  }
  const name = (trace === undefined ? [] : named(trace.action.name)).join(', ').slice(0, NAME_MAX)
  const actions = distinctActions((checkpoint?.actions ?? []).flatMap(named))
  return {
    tools,
    trace: trace && { ...trace, action: { ...trace.action, name } },
    checkpoint: checkpoint && { ...checkpoint, actions },
  }
}

/** The tools whose name stands in place of a card action. */
export function toolsWithoutAction({ tools, trace, checkpoint }: Evidence): string[] {
  const names = new Set([trace?.action.name, ...(checkpoint?.actions ?? [])])
  return [...new Set(tools)].filter((tool) => names.has(tool))
}

function distinctActions(actions: readonly string[]): string[] {
  return [...new Set(actions)].slice(0, ACTIONS_MAX)
}

function actionOf({ action, tool }: ToolCall): string {
  return sanitise(action ?? tool, NAME_MAX)
}

/** The trace of a call, which names the checkpoint that the call belongs to. */
export function traceOf(record: CallRecord, checkpointId: string): NonNullable<Evidence['trace']> {
  const { agentId, traceId, call, verdict, outcome, values, at } = record
  const isExecuted = outcome !== 'refused'
  const reasons = verdict.reasons.map(({ message }) => message).join('; ')
  const { decisionId, escalationId } = verdict
  const metadata = {
    integrity_checkpoint_id: checkpointId,
    decision_id: decisionId,
    decided_by: verdict.source,
    outcome,
  }
  return {
    ...(agentId !== undefined && { agent_id: agentId }),
    trace_id: traceId,
    timestamp: at.toISOString(),
    action: {
      type: isExecuted ? 'execute' : verdict.decision === 'escalate' ? 'escalate' : 'deny',
      name: actionOf(call),
      // A call that was not executed cannot have exceeded a bound.
      category: isExecuted ? 'bounded' : 'escalation_trigger',
      ...(record.recordArguments &&
        call.arguments && { parameters: sanitiseArguments(call.arguments) }),
    },
    decision: {
      selected: sanitise(call.tool, NAME_MAX),
      selection_reasoning: firstText(
        call.thinking,
        call.justification,
        reasons,
        `${call.tool} is allowed`,
      ),
      values_applied: [...values],
    },
    escalation: {
      evaluated: true,
      required: escalationId !== null,
      reason: reasons === '' ? 'no escalation required' : reasons,
      ...(escalationId !== null && {
        escalation_id: escalationId,
        escalation_status: record.approval ?? 'pending',
      }),
    },
    context: { session_id: call.sessionId, metadata },
    // The gateway already evaluated a refused call against the policy.
    tools: isExecuted ? [sanitise(call.tool, NAME_MAX)] : [],
    ...(decisionId !== null && { decision_id: decisionId }),
  }
}

function firstText(...texts: (string | undefined)[]): string {
  return sanitise(texts.find(hasText) ?? '', REASONING_MAX)
}
