import type { Admission, Guard } from '../guard/guard.ts'
import { asArguments } from '../guard/guard-tool.ts'
import { sessionOf } from '../hooks/read-input.ts'
import { approvalRequestOf } from './approval.ts'
import { createCallWords } from './call-words.ts'

export type MastraGuardOptions = {
  guard: Guard
  /** The card action each tool performs, keyed by tool name. */
  actions?: Readonly<Record<string, string>>
}

/** The parts of the types of `@mastra/core` 1 that this adapter uses. */
type HookContext = { toolName: string; input: unknown; context: unknown }
type AfterContext = HookContext & { output?: unknown; error?: unknown }
type ToolContext = {
  toolCallId?: string
  abortSignal?: AbortSignal
  requestContext?: { get(key: string): unknown }
  suspend?: (...payload: unknown[]) => Promise<unknown>
  resumeData?: unknown
  suspendPayload?: unknown
}
type Message = { content: { parts?: readonly Part[] } }
type Part = {
  type: string
  reasoning?: string
  text?: string
  toolInvocation?: { toolCallId: string; args?: unknown }
}

const NOT_RESUMED = { resumeData: undefined, suspendPayload: undefined }

/**
 * The hooks and the processor for an agent of Mastra: `new Agent({ ..., ...touchstone({ guard }) })`.
 * Every tool call is decided before it is made. A refused call is answered with `{ error }`; a call
 * that has to be approved suspends the run.
 */
export function touchstone({ guard, actions }: MastraGuardOptions) {
  const admissions = new WeakMap<object, Admission>()
  const words = createCallWords()

  function take(context: object): Admission | undefined {
    const admission = admissions.get(context)
    admissions.delete(context)
    return admission
  }

  async function beforeToolCall({ toolName, input, context }: HookContext) {
    const toolContext: ToolContext = Object(context)
    const { toolCallId = '', requestContext, resumeData, suspendPayload, suspend } = toolContext
    const escalationId = escalationOf(suspendPayload)
    if (escalationId !== undefined && Object(resumeData).approved !== true) {
      return refused(`${toolName} was not called: it was not approved.`)
    }
    const call = {
      tool: toolName,
      action: actions?.[toolName],
      arguments: asArguments(input),
      thinking: words.find(toolCallId, input),
      sessionId: sessionOf(Object(requestContext?.get('MastraMemory')).thread?.id),
      escalationId,
      signal: toolContext.abortSignal,
    }
    const admission = await guard.admit(call, { holdEscalated: true })
    const request = approvalRequestOf(call, admission)
    const { refusal } = admission
    if (refusal === undefined) {
      admissions.set(toolContext, admission)
      // The tool has not asked for this answer, which need not fit its schema.
      if (escalationId !== undefined) Object.assign(toolContext, NOT_RESUMED)
      // A tool that suspends the run itself was not executed, and is called again.
      if (suspend !== undefined) {
        toolContext.suspend = (...payload) => {
          take(toolContext)?.end('refused')
          return suspend(...payload)
        }
      }
      return undefined
    }
    admission.end('refused')
    // A run that was resumed before the call was approved would only be suspended again.
    if (request === undefined || escalationId !== undefined || suspend === undefined) {
      return refused(refusal.message)
    }
    return { proceed: false as const, output: await suspend({ touchstone: request }) }
  }

  async function afterToolCall({ context, output, error }: AfterContext): Promise<void> {
    const admission = take(Object(context))
    const problem = error ?? errorOf(output)
    if (problem === undefined) admission?.end('succeeded')
    else admission?.end('failed', problem)
  }

  /** Runs after each answer of the model, before the tools that it calls. */
  function processOutputStep<M extends Message>({ messages }: { messages: M[] }): M[] {
    const parts = messages.at(-1)?.content.parts ?? []
    const start = parts.findLastIndex(({ type }) => type === 'step-start') + 1
    const step = parts.slice(start)
    const said = step.flatMap(({ reasoning, text }) => reasoning ?? text ?? []).join('\n')
    const thinking = said === '' ? undefined : said
    for (const { toolInvocation } of step) {
      if (toolInvocation) words.note(toolInvocation.toolCallId, toolInvocation.args, thinking)
    }
    return messages
  }

  return {
    hooks: { beforeToolCall, afterToolCall },
    outputProcessors: [{ id: 'touchstone', processOutputStep }],
  }
}

function refused(error: string) {
  return { proceed: false as const, output: { error } }
}

/** The escalation with which an earlier attempt suspended the run. */
function escalationOf(suspendPayload: unknown): string | undefined {
  const { escalation_id: id } = Object(Object(suspendPayload).touchstone)
  return typeof id === 'string' ? id : undefined
}

/** Mastra returns invalid input, and MCP servers their errors, as a result. */
function errorOf(output: unknown): string | undefined {
  const { error, isError, message } = Object(output)
  if (error !== true && isError !== true) return undefined
  return typeof message === 'string' ? message : 'The tool reported an error.'
}
