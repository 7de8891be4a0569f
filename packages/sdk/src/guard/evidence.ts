import type { Body } from '../operation.ts'
import type { ToolCall, Verdict } from './tool-call.ts'

type TraceBody = Body<'POST', '/v1/agents/{agent_id}/traces'>
type CheckpointBody = Body<'POST', '/v1/agents/{agent_id}/checkpoints'>

/** What is told of one call, after it. Ids are its own, so that it can be sent twice. */
export type Evidence = {
  trace: TraceBody & { agent_id: string; trace_id: string }
  checkpoint: CheckpointBody & { agent_id: string; checkpoint_id: string }
}

export type Outcome = 'succeeded' | 'failed' | 'refused'

export type Happened = {
  agentId: string
  call: ToolCall & { sessionId: string }
  verdict: Verdict
  /** How a person answered, where one was asked and answered. */
  approval?: 'approved' | 'denied' | undefined
  outcome: Outcome
  /** Declared values of the card that the agent goes by. */
  values: readonly string[]
  /** Whether arguments are kept with the trace. */
  recordArguments: boolean
  at: Date
  newId(): string
}

const REASONING_MAX = 10_000
const TEXT_MAX = 400_000
const NAME_MAX = 256
const ACTIONS_MAX = 50

export function evidenceOf(happened: Happened): Evidence {
  const { agentId, call, at } = happened
  const traceId = `tr-${happened.newId()}`
  const checkpointId = `ic-${happened.newId()}`
  const common = { agent_id: agentId, timestamp: at.toISOString() }
  return {
    trace: { ...common, trace_id: traceId, ...traceParts(happened, checkpointId) },
    checkpoint: {
      ...common,
      checkpoint_id: checkpointId,
      trace_id: traceId,
      session_id: call.sessionId,
      ...(hasText(call.thinking) && { thinking: sound(call.thinking, TEXT_MAX) }),
      output: sound(saidOf(call), TEXT_MAX),
      actions: [actionOf(call)],
    },
  }
}

/** The same under the names that the card has for it. */
export function withActions({ trace, checkpoint }: Evidence, actions: readonly string[]): Evidence {
  const name = actions.join(', ').slice(0, NAME_MAX)
  return {
    trace: { ...trace, action: { ...trace.action, name } },
    checkpoint: { ...checkpoint, actions: actions.slice(0, ACTIONS_MAX) },
  }
}

/** A model that calls a tool says so; that is its output, whatever the tool then gives. */
function saidOf({ tool, arguments: args }: ToolCall): string {
  return args === undefined ? `Call ${tool}.` : `Call ${tool} with ${JSON.stringify(args)}.`
}

function actionOf({ action, tool }: ToolCall): string {
  return sound(action ?? tool, NAME_MAX)
}

function traceParts(happened: Happened, checkpointId: string): TraceBody {
  const { call, verdict, outcome, values } = happened
  const isDone = outcome !== 'refused'
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
      type: isDone ? 'execute' : verdict.decision === 'escalate' ? 'escalate' : 'deny',
      name: actionOf(call),
      // What was not done went over no bound.
      category: isDone ? 'bounded' : 'escalation_trigger',
      ...(happened.recordArguments &&
        call.arguments && {
          parameters: soundMembers(JSON.parse(JSON.stringify(call.arguments))),
        }),
    },
    decision: {
      selected: sound(call.tool, NAME_MAX),
      selection_reasoning: firstText(call.thinking, reasons, `${call.tool} is allowed`),
      values_applied: [...values],
    },
    escalation: {
      evaluated: true,
      required: escalationId !== null,
      reason: reasons === '' ? 'nothing asks for a person' : reasons,
      ...(escalationId !== null && {
        escalation_id: escalationId,
        escalation_status: happened.approval ?? 'pending',
      }),
    },
    context: { session_id: call.sessionId, metadata },
    // What was refused has been held against the policy already.
    tools: isDone ? [sound(call.tool, NAME_MAX)] : [],
  }
}

function firstText(...texts: (string | undefined)[]): string {
  return sound(texts.find(hasText) ?? '', REASONING_MAX)
}

function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}

/** With the u flag a surrogate pair is one character, so only lone halves match. */
const UNSOUND = /[\0\p{Surrogate}]/gu

/** The service takes no NUL and no half of a surrogate pair, which a cut may leave. */
function sound(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(UNSOUND, '\u{FFFD}')
}

/** All texts and names in a JSON value. */
function soundly(value: unknown): unknown {
  if (typeof value === 'string') return sound(value, TEXT_MAX)
  if (Array.isArray(value)) return value.map(soundly)
  if (typeof value !== 'object' || value === null) return value
  return soundMembers(value)
}

function soundMembers(value: object): Record<string, unknown> {
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([name, item]) => [sound(name, NAME_MAX), soundly(item)]))
}
