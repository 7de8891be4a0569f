import { readContent } from './genai-content.ts'
import { findJson, isEmptyOutput, isObject, type ModelOutput } from './genai-message.ts'
import { LANGFUSE_TYPE } from './langfuse.ts'
import { OPENINFERENCE_KIND } from './openinference.ts'
import { type Attributes, type AttributeValue, CLIENT_KIND, type Span } from './span.ts'

/** A span of the GenAI conventions that contains a decision. */
export type GenAiSpan = {
  span: Span
  endedAt: Date
  /** The name of the operation in the conventions. */
  operation: string
} & (
  | { kind: 'inference'; modelOutput: ModelOutput; task: string | undefined }
  | { kind: 'tool'; tool: string; arguments: AttributeValue }
)

/** ignored: the span contains no decision, for the reason given. refused: its decision cannot be accepted. */
export type Reading =
  | { kind: 'ignored'; reason: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'read'; genai: GenAiSpan }

const INFERENCES: ReadonlySet<string> = new Set(['chat', 'generate_content', 'text_completion'])

/** Names used before `gen_ai.operation.name` existed. */
const OLDER_NAMES: ReadonlyMap<string, string> = new Map([
  ['chat', 'chat'],
  ['completion', 'text_completion'],
])

const TIME_MS_MAX = 8.64e15

export function readGenAiSpan(span: Span): Reading {
  const operation = operationOf(span)
  if (operation === undefined) return ignore('not a call of a model or a tool')
  const isTool = operation === 'execute_tool'
  if (!isTool && !isInference(operation, span)) return ignore(`a step ${shown(operation)}`)
  const fault = faultOf(span)
  if (fault !== undefined) return { kind: 'refused', reason: fault }
  const about = { span, operation, endedAt: new Date(span.endMs) }
  return isTool ? readTool(about) : readInference(about)
}

function ignore(reason: string): Reading {
  return { kind: 'ignored', reason }
}

const SHOWN_MAX = 40

function shown(name: string): string {
  return /^[\w.-]+$/.test(name) ? name.slice(0, SHOWN_MAX) : 'with a malformed name'
}

/** Steps that other conventions name; their other steps keep their own names, such as CHAIN. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['LLM', 'chat'],
  ['TOOL', 'execute_tool'],
  ['generation', 'chat'],
  ['tool', 'execute_tool'],
])

function operationOf({ attributes }: Span): string | undefined {
  const named = textIn(attributes, 'gen_ai.operation.name')
  if (named !== undefined) return named
  const older = OLDER_NAMES.get(textIn(attributes, 'llm.request.type') ?? '')
  if (older !== undefined) return older
  const other = textIn(attributes, OPENINFERENCE_KIND) ?? textIn(attributes, LANGFUSE_TYPE)
  if (other !== undefined) return OTHER_NAMES.get(other) ?? other
  if (textIn(attributes, 'ai.toolCall.name') !== undefined) return 'execute_tool'
  const isCall = providerOf(attributes) !== undefined && attributes.has('gen_ai.request.model')
  return isCall ? 'chat' : undefined
}

/**
 * An agent in the same process records its model calls below the span that invokes it. A remote agent
 * records none here, so the invoking span is the only evidence of its decision.
 */
function isInference(operation: string, span: Span): boolean {
  if (INFERENCES.has(operation)) return true
  return operation === 'invoke_agent' && span.kind === CLIENT_KIND
}

function faultOf(span: Span): string | undefined {
  if (!/^[0-9a-f]{32}$/.test(span.traceId) || /^0+$/.test(span.traceId)) {
    return 'the trace id must be 16 bytes'
  }
  if (!/^[0-9a-f]{16}$/.test(span.spanId) || /^0+$/.test(span.spanId)) {
    return 'the span id must be 8 bytes'
  }
  if (span.endMs <= 0 || span.endMs > TIME_MS_MAX) return 'the span has no end time'
  return undefined
}

type About = Pick<GenAiSpan, 'span' | 'operation' | 'endedAt'>

/** Where conventions record the arguments of a tool, newest first. */
const ARGUMENTS = [
  'gen_ai.tool.call.arguments',
  'ai.toolCall.args',
  'input.value',
  'langfuse.observation.input',
]

function readTool(about: About): Reading {
  const { attributes, name } = about.span
  const hasOtherNames = attributes.has(OPENINFERENCE_KIND) || attributes.has(LANGFUSE_TYPE)
  const tool =
    textIn(attributes, 'gen_ai.tool.name') ??
    textIn(attributes, 'ai.toolCall.name') ??
    textIn(attributes, 'tool.name') ??
    /^execute_tool (.+)$/.exec(name)?.[1] ??
    (hasOtherNames && name !== '' ? name : undefined)
  if (tool === undefined) return { kind: 'refused', reason: 'gen_ai.tool.name is missing' }
  const given = ARGUMENTS.map((from) => attributes.get(from)).find((value) => value != null) ?? null
  const parsed = typeof given === 'string' ? (findJson(given) ?? null) : given
  return { kind: 'read', genai: { ...about, kind: 'tool', tool, arguments: parsed } }
}

function readInference(about: About): Reading {
  const content = readContent(about.span)
  if (!content.ok) return { kind: 'refused', reason: content.reason }
  // The call failed, so there is no decision.
  const failed =
    about.span.failed || textIn(about.span.attributes, 'langfuse.observation.level') === 'ERROR'
  if (failed && isEmptyOutput(content.modelOutput)) return ignore('a call that failed')
  const { modelOutput, task } = content
  return { kind: 'read', genai: { ...about, kind: 'inference', modelOutput, task } }
}

export function providerOf(attributes: Attributes): string | undefined {
  return firstText(attributes, [
    'gen_ai.provider.name',
    'gen_ai.system',
    'llm.provider',
    'llm.system',
  ])
}

export function modelOf(attributes: Attributes): string | undefined {
  return firstText(attributes, [
    'gen_ai.response.model',
    'gen_ai.request.model',
    'llm.model_name',
    'langfuse.observation.model.name',
  ])
}

export function firstText(attributes: Attributes, names: readonly string[]): string | undefined {
  return names.map((name) => textIn(attributes, name)).find((text) => text !== undefined)
}

export function textIn(attributes: Attributes, name: string): string | undefined {
  const value = attributes.get(name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The numbers and booleans among the arguments, which bounds and triggers compare. No texts. */
export function figuresOf(given: AttributeValue): Record<string, number | boolean> {
  if (!isObject(given)) return {}
  const figures = Object.entries(given).flatMap(([name, value]): [string, number | boolean][] =>
    typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
      ? [[name, value]]
      : [],
  )
  return Object.fromEntries(figures.slice(0, FIGURES_MAX))
}

const FIGURES_MAX = 50
