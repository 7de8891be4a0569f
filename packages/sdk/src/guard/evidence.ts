import type { components } from '../api.ts'
import type { ToolCall, Verdict } from './tool-call.ts'

type TraceBody = components['schemas']['NewAgentTrace']
type CheckpointBody = components['schemas']['NewCheckpoint']

/** The trace and checkpoint of one call. Their ids are fixed, so that sending is idempotent. */
export type Evidence = {
  trace: TraceBody & { agent_id: string; trace_id: string }
  checkpoint: CheckpointBody & { agent_id: string; checkpoint_id: string }
}

export type Outcome = 'succeeded' | 'failed' | 'refused'

export type CallRecord = {
  agentId: string
  call: ToolCall & { sessionId: string }
  verdict: Verdict
  /** The decision of a person, if one was asked and has decided. */
  approval?: 'approved' | 'denied' | undefined
  outcome: Outcome
  /** Values declared on the card that the agent applied. */
  values: readonly string[]
  /** Whether the trace includes the arguments. */
  recordArguments: boolean
  at: Date
  newId(): string
}

const REASONING_MAX = 10_000
const TEXT_MAX = 400_000
const NAME_MAX = 256
const ACTIONS_MAX = 50

export function evidenceOf(record: CallRecord): Evidence {
  const { agentId, call, at } = record
  const traceId = `tr-${record.newId()}`
  const checkpointId = `ic-${record.newId()}`
  const common = { agent_id: agentId, timestamp: at.toISOString() }
  return {
    trace: { ...common, trace_id: traceId, ...traceBody(record, checkpointId) },
    checkpoint: {
      ...common,
      checkpoint_id: checkpointId,
      trace_id: traceId,
      session_id: call.sessionId,
      ...(hasText(call.thinking) && { thinking: sanitise(call.thinking, TEXT_MAX) }),
      output: sanitise(outputOf(call), TEXT_MAX),
      actions: [actionOf(call)],
    },
  }
}

/** The same evidence with the card's action names in place of the tool's. */
export function withActions({ trace, checkpoint }: Evidence, actions: readonly string[]): Evidence {
  const name = actions.join(', ').slice(0, NAME_MAX)
  return {
    trace: { ...trace, action: { ...trace.action, name } },
    checkpoint: { ...checkpoint, actions: actions.slice(0, ACTIONS_MAX) },
  }
}

/** The call itself is the model's output to analyse; the tool's result is not. */
function outputOf({ tool, arguments: args }: ToolCall): string {
  return args === undefined ? `Call ${tool}.` : `Call ${tool} with ${JSON.stringify(args)}.`
}

function actionOf({ action, tool }: ToolCall): string {
  return sanitise(action ?? tool, NAME_MAX)
}

function traceBody(record: CallRecord, checkpointId: string): TraceBody {
  const { call, verdict, outcome, values } = record
  const isExecuted = outcome !== 'refused'
  const reasons = verdict.reasons.map(({ message }) => message).join('; ')
  const { escalationId } = verdict
  const metadata = {
    integrity_checkpoint_id: checkpointId,
    decision_id: verdict.decisionId,
    decided_by: verdict.source,
    outcome,
  }
  return {
    action: {
      type: isExecuted ? 'execute' : verdict.decision === 'escalate' ? 'escalate' : 'deny',
      name: actionOf(call),
      // A call that was not executed cannot have exceeded a bound.
      category: isExecuted ? 'bounded' : 'escalation_trigger',
      ...(record.recordArguments &&
        call.arguments && {
          parameters: sanitiseObject(JSON.parse(JSON.stringify(call.arguments))),
        }),
    },
    decision: {
      selected: sanitise(call.tool, NAME_MAX),
      selection_reasoning: firstText(call.thinking, reasons, `${call.tool} is allowed`),
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
  }
}

function firstText(...texts: (string | undefined)[]): string {
  return sanitise(texts.find(hasText) ?? '', REASONING_MAX)
}

function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** With the u flag a surrogate pair is one character, so only lone surrogates match. */
const REJECTED_CHARACTERS = /[\0\p{Surrogate}]/gu

/** The service rejects NUL and lone surrogates, which truncation may leave behind. */
function sanitise(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(REJECTED_CHARACTERS, '\u{FFFD}')
}

/** Sanitises all strings and member names of a JSON value. */
function sanitiseJson(value: unknown): unknown {
  if (typeof value === 'string') return sanitise(value, TEXT_MAX)
  if (Array.isArray(value)) return value.map(sanitiseJson)
  if (typeof value !== 'object' || value === null) return value
  return sanitiseObject(value)
}

function sanitiseObject(value: object): Record<string, unknown> {
  const members = Object.entries(value)
  return Object.fromEntries(
    members.map(([name, item]) => [sanitise(name, NAME_MAX), sanitiseJson(item)]),
  )
}
