import type { Admission, Guard } from '../guard/guard.ts'
import type { GuardRefusal } from '../guard/guard-refusal.ts'
import { asArguments } from '../guard/guard-tool.ts'
import type { ToolCall } from '../guard/tool-call.ts'
import { type ApprovalRequest, answered, approvalRequestOf } from './approval.ts'
import { type CallWords, createCallWords } from './call-words.ts'
import { modelWords } from './model-words.ts'
import { callKey, createOpenCalls } from './open-calls.ts'

export type { ApprovalRequest } from './approval.ts'

export type AgentsGuardOptions = {
  guard: Guard
  /** The card action each tool performs, keyed by tool name. */
  actions?: Readonly<Record<string, string>>
  /** The session that a run belongs to, from the context it was started with; the guard's by default. */
  sessionOf?: (context: unknown) => string | undefined
}

type RunContext = {
  context: unknown
  isToolApproved(approval: { toolName: string; callId: string }): boolean | undefined
}

type InputGuardrail = { name: string; run(data: never): Promise<unknown> }

/** The part of the options of `tool()` that this adapter uses. */
type AgentTool = {
  name: string
  execute(input: never, context?: never, details?: never): unknown
  needsApproval?: boolean | ((context: never, input: never, callId?: string) => Promise<boolean>)
  inputGuardrails?: readonly InputGuardrail[]
  outputSchema?: unknown
}

/** The part of a model that this adapter uses. */
type Model = {
  getResponse(request: never): Promise<{ output: readonly unknown[] }>
  getStreamedResponse(request: never): AsyncIterable<object>
}

/**
 * Guards tools of the OpenAI Agents SDK. `tool` takes and returns the options of its `tool()`. An
 * escalated call becomes an interruption of the run; any other refusal is what the model gets in place
 * of the result. Hosted tools run elsewhere, and nothing here could stop them.
 */
export function guardAgents(options: AgentsGuardOptions) {
  const { guard } = options
  const open = createOpenCalls()
  const refusals = createOpenCalls<GuardRefusal>()
  const requests = createOpenCalls<ApprovalRequest>()
  /** Calls that a person cannot let through here (again): an approval is for one call, but ids repeat. */
  const used = createOpenCalls<true>()
  const words = createCallWords()

  const callOf = (name: string, input: unknown, run: { context: unknown; callId: string }) =>
    ({
      tool: name,
      action: options.actions?.[name],
      arguments: asArguments(input),
      sessionId: options.sessionOf?.(run.context),
      thinking: words.find(run.callId, input),
    }) satisfies ToolCall

  const isApprovedNow = (run: RunContext, tool: string, callId: string) =>
    run.isToolApproved({ toolName: tool, callId }) === true &&
    used.find(callKey(callId, tool, null)) === undefined

  /** Decides about a call before the run. True if the run has to pause for a person. */
  async function waits(call: ToolCall, callId: string): Promise<boolean> {
    const admission = await guard.admit(call, { holdEscalated: true })
    const request = approvalRequestOf(call, admission)
    if (request === undefined) {
      const { refusal } = admission
      if (refusal === undefined) open.open(keyOf(call, callId), admission)
      else refusals.open(callKey(callId, call.tool, null), refusal)
      return false
    }
    admission.end('refused')
    const id = callKey(callId, call.tool, null)
    const other = requests.find(id)
    // The SDK would take the approval of one of two calls with one id for that of the other.
    if (other !== undefined && !isSame(other, request)) used.open(id, true)
    requests.open(id, request)
    return true
  }

  /** The decision about a call that is about to be made; a new one, if the run was paused for it. */
  async function admit(call: ToolCall, callId: string, run: RunContext): Promise<Admission> {
    const known = open.take(keyOf(call, callId))
    if (known !== undefined) return known
    const admission = await guard.admit(call, { holdEscalated: true })
    if (admission.escalation === undefined) return admission
    const isApproved = isApprovedNow(run, call.tool, callId)
    requests.take(callKey(callId, call.tool, null))
    used.open(callKey(callId, call.tool, null), true)
    return answered(guard, call, { admission, isApproved: isApproved ? true : undefined })
  }

  function guardTool<T extends AgentTool>(agentTool: T): T {
    const { name, execute, needsApproval = false, inputGuardrails = [] } = agentTool
    const guarded: AgentTool = {
      ...agentTool,
      async needsApproval(context: RunContext, input: unknown, callId = '') {
        const own = needsApproval as boolean | ((...args: unknown[]) => Promise<boolean>)
        const isOwn = typeof own === 'boolean' ? own : await own(context, input, callId)
        // Asked again before an approved call is made, which is when it is decided again.
        const isApproved = context.isToolApproved({ toolName: name, callId }) === true
        return (
          isOwn ||
          isApproved ||
          waits(callOf(name, input, { context: context.context, callId }), callId)
        )
      },
      inputGuardrails: [...inputGuardrails, refuse],
      async execute(
        input: unknown,
        context: RunContext,
        details: { toolCall: { callId: string } },
      ) {
        const { callId } = details.toolCall
        const call = callOf(name, input, { context: context.context, callId })
        const { refusal, end } = await admit(call, callId, context)
        // Thrown, the reason would not reach the model; a result of a schema cannot be the reason.
        if (refusal !== undefined && agentTool.outputSchema !== undefined) throw refusal
        if (refusal !== undefined) return refusal.message
        try {
          const run = execute as (...args: unknown[]) => unknown
          const result = await run.call(agentTool, input, context, details)
          end('succeeded')
          return result
        } catch (error) {
          end('failed', error)
          throw error
        }
      },
    }
    // The same options with functions of the same types.
    return guarded as T
  }

  const refuse = {
    name: 'Touchstone',
    async run({ toolCall }: { toolCall: { callId: string; name: string } }) {
      const refusal = refusals.take(callKey(toolCall.callId, toolCall.name, null))
      if (refusal === undefined) return { behavior: { type: 'allow' } }
      return { behavior: { type: 'rejectContent', message: refusal.message } }
    },
  }

  return {
    tool: guardTool,
    /** Notes the model's reasoning before the calls it makes, for their evidence. */
    model: <T extends Model>(model: T): T => watched(model, words),
    /**
     * The escalation of an interruption; undefined for one of another reason, or of another process, and
     * for calls with one id, which only the service can approve.
     */
    requestOf(interruption: { rawItem: object }): ApprovalRequest | undefined {
      const { callId, name } = Object(interruption.rawItem)
      const id = callKey(String(callId), name, null)
      return used.find(id) === undefined ? requests.find(id) : undefined
    },
  }
}

function isSame(one: ApprovalRequest, other: ApprovalRequest): boolean {
  return JSON.stringify(one.arguments) === JSON.stringify(other.arguments)
}

function keyOf(call: ToolCall, callId: string): string {
  return callKey(callId, call.tool, [call.sessionId, call.arguments])
}

/** A model of which the words before each call are noted. */
function watched<T extends Model>(model: T, words: CallWords): T {
  const note = (output: unknown) => noteWords(output, words)
  const watching: Model = {
    async getResponse(request) {
      const response = await model.getResponse(request)
      note(response.output)
      return response
    },
    async *getStreamedResponse(request) {
      for await (const event of model.getStreamedResponse(request)) {
        const { type, response } = Object(event)
        if (type === 'response_done') note(response.output)
        yield event
      }
    },
  }
  return new Proxy(model, {
    get(target, key) {
      if (Object.hasOwn(watching, key)) return Reflect.get(watching, key)
      const value: unknown = Reflect.get(target, key)
      // Methods may use private members, which a proxy does not have.
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function noteWords(output: unknown, words: CallWords): void {
  const items: unknown[] = Array.isArray(output) ? output : []
  const calls = items.map((item) => Object(item)).filter(({ type }) => type === 'function_call')
  const said = modelWords(items.filter((item) => Object(item).type !== 'function_call'))
  for (const { callId, arguments: input } of calls) words.note(String(callId), input, said)
}
