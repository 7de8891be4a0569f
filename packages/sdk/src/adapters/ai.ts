import { type Admission, completeCall, type Guard } from '../guard/guard.ts'
import { asArguments } from '../guard/guard-tool.ts'
import type { ToolCall } from '../guard/tool-call.ts'
import { sessionOf } from '../hooks/read-input.ts'
import { type ApprovalRequest, admitOrAsk, approvalRequestOf } from './approval.ts'
import { type CallWords, createCallWords } from './call-words.ts'
import { createOpenCalls } from './open-calls.ts'

export type { ApprovalRequest } from './approval.ts'

/** The part of an AI SDK tool that this adapter uses. */
type AiTool = {
  execute?: (input: unknown, options: unknown) => unknown
  needsApproval?: boolean | ((input: unknown, options: unknown) => unknown)
}

/** Escalations of this many calls are remembered until the calls are made. */
const REMEMBERED_MAX = 1000

export type AiGuardOptions = {
  /** The card action each tool performs, keyed by tool name. */
  actions?: Readonly<Record<string, string>>
  /** The model's reasoning before the call; see `recordThinking`. */
  thinkingOf?: (options: unknown, input: unknown) => string | undefined
  /** The session of a call, from the SDK's options of the tool; that of the guard by default. */
  sessionOf?: (options: unknown) => string | undefined
  /** Called before a run pauses, because the SDK's own request does not say who can approve the call. */
  onApprovalRequest?: (request: ApprovalRequest, options: { toolCallId: string }) => void
}

/**
 * Guards the tools of the Vercel AI SDK, 6 and 7; pass the result to `generateText`, `streamText` or
 * an agent. A refusal is thrown, and the SDK hands it to the model as the tool's error. A call that
 * has to be approved pauses the run as the SDK's own tool approval. Tools without `execute` run
 * elsewhere and are returned unchanged, because nothing here could stop them.
 */
export function guardTools<T extends Readonly<Record<string, object>>>(
  guard: Guard,
  tools: T,
  options: AiGuardOptions = {},
): T {
  const guarded = Object.entries(tools).map(([name, tool]) => {
    // Input and output types differ from tool to tool, so the AI SDK has to check them, not this.
    const { execute } = tool as AiTool
    if (execute === undefined) return [name, tool]
    return [name, guardedTool(guard, name, tool as AiTool & { execute: typeof execute }, options)]
  })
  // The same names with tools of the same shape.
  return Object.fromEntries(guarded) as T
}

function guardedTool(
  guard: Guard,
  name: string,
  tool: Required<Pick<AiTool, 'execute'>> & AiTool,
  options: AiGuardOptions,
) {
  // INVARIANT: an admission is used for the very input that it was given for, and once.
  const admissions = new WeakMap<object, { admission: Admission; text: string }>()
  const escalations = createOpenCalls<string>(REMEMBERED_MAX)
  const callOf = (input: unknown, context: unknown): ToolCall => ({
    tool: name,
    action: options.actions?.[name],
    arguments: asArguments(input),
    thinking: options.thinkingOf?.(context, input),
    sessionId: sessionOf(options.sessionOf?.(context)),
    signal: Object(context).abortSignal,
  })

  /** Called before a call is made, and again for a call that a person has answered. */
  async function needsApproval(input: unknown, context: unknown): Promise<boolean> {
    // It is decided when it is made. The SDK refuses an approval that was not needed.
    if (isAnswered(context)) return true
    const { needsApproval: own = false } = tool
    if (typeof own === 'function' ? await own.call(tool, input, context) : own) return true
    const call = callOf(input, context)
    // An error is thrown when the call is made and decided again, where it becomes the tool's error.
    const admission = await guard.admit(call, { holdEscalated: true }).catch(() => undefined)
    const request = admission && approvalRequestOf(call, admission)
    if (request === undefined) {
      if (admission !== undefined) keep(input, admission)
      return false
    }
    admission?.end('refused')
    const toolCallId = toolCallIdOf(context)
    escalations.open(toolCallId, request.escalation_id)
    options.onApprovalRequest?.(request, { toolCallId })
    return true
  }

  function keep(input: unknown, admission: Admission): void {
    if (typeof input !== 'object' || input === null) return
    admissions.set(input, { admission, text: JSON.stringify(input) })
  }

  /** Undefined if there is none, or if the program has changed the input since. */
  function take(input: unknown): Admission | undefined {
    const kept = admissions.get(Object(input))
    admissions.delete(Object(input))
    if (kept === undefined || kept.text === JSON.stringify(input)) return kept?.admission
    kept.admission.end('refused')
    return undefined
  }

  async function execute(input: unknown, context: unknown): Promise<unknown> {
    const admitted = take(input)
    const answer = isAnswered(context) || undefined
    // Some models repeat the ids of calls.
    const escalationId = answer && escalations.take(toolCallIdOf(context))
    const call = { ...callOf(input, context), escalationId }
    const admission = admitted ?? (await admitOrAsk(guard, call, () => answer))
    return completeCall(admission, () => lastValue(tool.execute(input, context)))
  }

  return { ...tool, needsApproval, execute }
}

type Content = { type: string }

/** A middleware for `wrapLanguageModel` of AI SDK 6 and 7, and what it has seen. */
export type ThinkingRecorder = {
  middleware: {
    /** Version 6 demands the value, version 7 accepts any. */
    readonly specificationVersion: 'v3'
    wrapGenerate<R extends { content: readonly Content[] }>(model: {
      doGenerate: () => PromiseLike<R>
    }): Promise<R>
    wrapStream<P extends Content, R extends { stream: ReadableStream<P> }>(model: {
      doStream: () => PromiseLike<R>
    }): Promise<R>
  }
  /** An option of `guardTools`. */
  thinkingOf(options: unknown, input: unknown): string | undefined
}

/** Remembers what the model thought and said before each tool call, as evidence for the guard. */
export function recordThinking(): ThinkingRecorder {
  const { note, find } = createCallWords()
  return {
    middleware: {
      specificationVersion: 'v3',
      async wrapGenerate({ doGenerate }) {
        const result = await doGenerate()
        result.content.forEach(readerOfParts(note))
        return result
      },
      async wrapStream({ doStream }) {
        const result = await doStream()
        const read = readerOfParts(note)
        const observer = new TransformStream({
          transform(part, controller) {
            read(part)
            controller.enqueue(part)
          },
        })
        return { ...result, stream: result.stream.pipeThrough(observer) }
      },
    },
    thinkingOf: (options, input) => find(toolCallIdOf(options), input),
  }
}

/** Reads the parts of a message in order: whole parts, and deltas of a stream. */
function readerOfParts(note: CallWords['note']) {
  const texts: string[] = []
  return (part: Content) => {
    const { text, delta, toolCallId, input } = part as { [name: string]: unknown }
    const [kind, event] = part.type.split('-')
    const words = texts.length === 0 ? undefined : texts.join('\n')
    if (part.type === 'tool-call') note(String(toolCallId), input, words)
    if (kind !== 'reasoning' && kind !== 'text') return
    if (event === 'delta') texts.push(`${texts.pop() ?? ''}${delta}`)
    else if (event === 'start') texts.push('')
    else if (typeof text === 'string') texts.push(text)
  }
}

function toolCallIdOf(context: unknown): string {
  return String(Object(context).toolCallId)
}

type Part = { type?: unknown; toolCallId?: unknown; approvalId?: unknown; approved?: unknown }

/**
 * Whether the last message approves this call. A model may give two calls the same id; the answer for
 * one must not be taken for the other, so then neither is approved.
 */
function isAnswered(context: unknown): boolean {
  const { messages, toolCallId } = Object(context)
  if (!Array.isArray(messages)) return false
  const approved = partsOf(messages.at(-1))
    .filter((part) => part.type === 'tool-approval-response' && part.approved === true)
    .map(({ approvalId }) => approvalId)
  const ofCall = messages
    .map((message) => partsOf(message).filter((part) => part.toolCallId === toolCallId))
    .find((parts) => parts.some((part) => isRequest(part) && approved.includes(part.approvalId)))
  return ofCall?.filter(({ type }) => type === 'tool-call').length === 1
}

function isRequest({ type }: Part): boolean {
  return type === 'tool-approval-request'
}

function partsOf(message: unknown): Part[] {
  const { content } = Object(message)
  return Array.isArray(content) ? content.map((part) => Object(part)) : []
}

/** A tool may stream its result as an async iterable; the last value is the complete result. */
async function lastValue(output: unknown): Promise<unknown> {
  const value = await output
  if (!isIterable(value)) return value
  let last: unknown
  for await (const partial of value) last = partial
  return last
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
