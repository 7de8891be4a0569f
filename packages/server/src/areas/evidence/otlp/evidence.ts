import { sha256Hex } from '@touchstone/protocol/crypto'
import type { ModelOutput } from './genai-message.ts'
import { figuresOf, firstText, type GenAiSpan, modelOf, providerOf, textIn } from './genai-span.ts'
import type { AttributeValue, Span } from './span.ts'

/** The input of the traces feature. */
export type OtlpTrace = {
  trace_id: string
  agent_id: string
  timestamp: string
  action: {
    type: 'recommend' | 'execute'
    name: string
    category: 'bounded'
    target: { type: string; identifier?: string }
    parameters?: Readonly<Record<string, number | boolean>>
  }
  decision: {
    selected: string
    selection_reasoning: string
    values_applied: readonly string[]
  }
  context: {
    session_id: string
    metadata: Readonly<Record<string, unknown>>
  }
  tools: readonly string[]
}

/** The input of the intake feature. */
export type OtlpSubmission = {
  agentId: string
  checkpointId: string
  sessionId: string
  timestamp: string
  provider: string | undefined
  model: string | undefined
  extractionMethod: 'native_thinking' | 'reasoning_content' | undefined
  thinking: string | undefined
  output: string | undefined
  actions: readonly string[]
  context: Readonly<Record<string, never>>
  taskContext: string | undefined
  traceId: string | undefined
  decisionIds: readonly never[]
}

/** A log record has no trace: the trace of its span comes with the span. */
export type Evidence = { trace: OtlpTrace | undefined; submission: OtlpSubmission | undefined }

export type Made = { ok: true; evidence: Evidence } | { ok: false; reason: string }

/** spec: evidence §4.1 and §3.1. */
const TEXT_LENGTH_MAX = 400_000
const NAME_LENGTH_MAX = 256
const ACTIONS_MAX = 50
const TASK_LENGTH_MAX = 2000
const VALUES_MAX = 50

/** The bounded actions of a default card (spec: evidence §1). */
const INFERENCE = 'inference'

/**
 * The evidence in a span. INVARIANT: the same span yields the same ids and evidence, so that ingest
 * is idempotent. Texts go only into the submission, of which hashes are stored, never into the trace,
 * which is stored as it is (spec: platform §6.3).
 */
export function evidenceOf(genai: GenAiSpan, agentId: string): Made {
  const made = genai.kind === 'tool' ? ofTool(genai, agentId) : ofInference(genai, agentId)
  if (!made.ok || isSound(made.evidence)) return made
  return { ok: false, reason: 'a text contains a NUL character or an unpaired surrogate' }
}

/**
 * The checkpoint of a call whose content was recorded in log records, linked to the trace of its span;
 * undefined without content. If the span has the same content, it is the same checkpoint.
 */
export function loggedEvidenceOf(genai: GenAiSpan, agentId: string): Made | undefined {
  const made = evidenceOf(genai, agentId)
  if (!made.ok) return made
  const { submission } = made.evidence
  if (submission === undefined) return undefined
  const traceId = traceIdOf(genai.span, agentId)
  return { ok: true, evidence: { trace: undefined, submission: { ...submission, traceId } } }
}

type Tool = Extract<GenAiSpan, { kind: 'tool' }>
type Inference = Extract<GenAiSpan, { kind: 'inference' }>

function ofTool(genai: Tool, agentId: string): Made {
  const { span, tool } = genai
  if (tool.length > NAME_LENGTH_MAX) return refuse('the name of the tool', NAME_LENGTH_MAX)
  const callId = firstText(span.attributes, ['gen_ai.tool.call.id', 'tool.id'])
  const figures = figuresOf(genai.arguments)
  const error = textIn(span.attributes, 'error.type')
  const ended = span.failed || error !== undefined ? `failed (${error ?? 'error'})` : 'ended'
  const trace: OtlpTrace = {
    ...placeOf(genai, agentId),
    action: {
      type: 'execute',
      name: tool,
      category: 'bounded',
      target: {
        type: truncate(textIn(span.attributes, 'gen_ai.tool.type') ?? 'function', NAME_LENGTH_MAX),
        ...(callId === undefined ? {} : { identifier: truncate(callId, NAME_LENGTH_MAX) }),
      },
      ...(Object.keys(figures).length === 0 ? {} : { parameters: figures }),
    },
    decision: {
      selected: tool,
      selection_reasoning: truncate(
        `OpenTelemetry: the tool ${tool} was called and ${ended}.`,
        1000,
      ),
      values_applied: valuesOf(span),
    },
    tools: [tool],
  }
  return { ok: true, evidence: { trace, submission: undefined } }
}

function ofInference(genai: Inference, agentId: string): Made {
  const { span, modelOutput, operation } = genai
  const tools = [...new Set(modelOutput.calls.map((call) => call.name))]
  if (tools.length > ACTIONS_MAX) return { ok: false, reason: `more than ${ACTIONS_MAX} tools` }
  if (tools.some((tool) => tool.length > NAME_LENGTH_MAX)) {
    return refuse('the name of a tool', NAME_LENGTH_MAX)
  }
  const submission = submissionOf(genai, agentId, tools)
  const texts = [submission?.thinking, submission?.output]
  if (texts.some((text) => (text?.length ?? 0) > TEXT_LENGTH_MAX)) {
    return refuse('thinking or output', TEXT_LENGTH_MAX)
  }
  const model = modelOf(span.attributes)
  const chosen = tools.length === 0 ? 'answer' : tools.join(', ')
  const place = placeOf(genai, agentId)
  const metadata = {
    ...place.context.metadata,
    ...(submission === undefined ? {} : { integrity_checkpoint_id: submission.checkpointId }),
  }
  const trace: OtlpTrace = {
    ...place,
    action: {
      type: 'recommend',
      name: INFERENCE,
      category: 'bounded',
      target: {
        type: 'model',
        ...(model === undefined ? {} : { identifier: truncate(model, NAME_LENGTH_MAX) }),
      },
    },
    decision: {
      selected: truncate(chosen, NAME_LENGTH_MAX),
      selection_reasoning: truncate(`OpenTelemetry: ${operation} chose ${chosen}.`, 1000),
      values_applied: valuesOf(span),
    },
    context: { ...place.context, metadata },
    tools,
  }
  return { ok: true, evidence: { trace, submission } }
}

/** Undefined if the instrumentation recorded no content, because there is nothing to analyse. */
function submissionOf(
  genai: Inference,
  agentId: string,
  tools: readonly string[],
): OtlpSubmission | undefined {
  const { span, modelOutput, task } = genai
  const thinking = textOf(modelOutput.thinking)
  const output = textOf([...modelOutput.text, ...modelOutput.calls.map(callText)])
  if (thinking === undefined && output === undefined) return undefined
  return {
    agentId,
    checkpointId: checkpointIdOf(span, agentId),
    sessionId: sessionOf(span),
    timestamp: genai.endedAt.toISOString(),
    provider: shortOf(providerOf(span.attributes)),
    model: shortOf(modelOf(span.attributes)),
    extractionMethod: methodOf(modelOutput),
    thinking,
    output,
    actions: tools,
    context: {},
    taskContext: task === undefined ? undefined : truncate(task, TASK_LENGTH_MAX),
    traceId: undefined,
    decisionIds: [],
  }
}

function methodOf(modelOutput: ModelOutput): OtlpSubmission['extractionMethod'] {
  if (modelOutput.thinking.length === 0) return undefined
  return modelOutput.besideAnswer ? 'reasoning_content' : 'native_thinking'
}

/** Tool calls are part of the model's output. */
function callText(call: { name: string; arguments: AttributeValue }): string {
  const given = call.arguments
  const shown = typeof given === 'string' ? given : given === null ? '' : JSON.stringify(given)
  return `${call.name} ${shown}`.trimEnd()
}

function textOf(pieces: readonly string[]): string | undefined {
  return pieces.length === 0 ? undefined : pieces.join('\n')
}

function placeOf(genai: GenAiSpan, agentId: string) {
  const { span, operation, endedAt } = genai
  const parent =
    span.parentSpanId === '' ? {} : { otel_parent_span_id: truncate(span.parentSpanId, 16) }
  return {
    trace_id: traceIdOf(span, agentId),
    agent_id: agentId,
    timestamp: endedAt.toISOString(),
    context: {
      session_id: sessionOf(span),
      metadata: {
        source: 'opentelemetry',
        otel_trace_id: span.traceId,
        otel_span_id: span.spanId,
        ...parent,
        otel_scope: truncate(span.scope, NAME_LENGTH_MAX),
        gen_ai_operation: truncate(operation, NAME_LENGTH_MAX),
      },
    },
  }
}

/** Depends on the agent, because one span may be sent to two organisations. */
function traceIdOf(span: Span, agentId: string): string {
  return `otel-${span.traceId}-${span.spanId}-${sha256Hex(agentId).slice(0, 8)}`
}

/** Derived from the ids of the span, in the form of a version 4 UUID (spec: evidence §0). */
function checkpointIdOf(span: Span, agentId: string): string {
  const hex = sha256Hex(`otlp checkpoint ${span.traceId} ${span.spanId} ${agentId}`)
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ]
  return `ic-${groups.join('-')}`
}

/** The conversation if the span names one; otherwise the trace. */
function sessionOf(span: Span): string {
  const named = firstText(span.attributes, [
    'gen_ai.conversation.id',
    'session.id',
    'langfuse.session.id',
  ])
  if (named === undefined) return `otel-${span.traceId}`
  if (/^[A-Za-z0-9._:-]{1,128}$/.test(named)) return named
  return `otel-${sha256Hex(named).slice(0, 32)}`
}

/** Only the agent's developer can set them; empty without the attribute. */
function valuesOf(span: Span): string[] {
  const named = span.attributes.get('touchstone.values_applied')
  const values = Array.isArray(named) ? named : []
  return values
    .filter((value): value is string => typeof value === 'string' && value !== '')
    .slice(0, VALUES_MAX)
    .map((value) => truncate(value, NAME_LENGTH_MAX))
}

function shortOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : truncate(text, NAME_LENGTH_MAX)
}

/** Does not split a surrogate pair, which UTF-8 could not encode. */
function truncate(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
}

function refuse(what: string, lengthMax: number): Made {
  return { ok: false, reason: `${what} has more than ${lengthMax} characters` }
}

/** With the u flag a surrogate pair is one character, so only unpaired surrogates match. */
const BAD_CHARACTER = /[\0\p{Surrogate}]/u

/** JSON inside a text may contain characters that can be neither stored nor hashed. */
function isSound(value: unknown): boolean {
  if (typeof value === 'string') return !BAD_CHARACTER.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, item]) => isSound(name) && isSound(item))
}
