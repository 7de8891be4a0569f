import { BasePlugin } from '@google/adk'
import type { Admission, Guard } from '../guard/guard.ts'
import type { ToolCall } from '../guard/tool-call.ts'
import { sessionOf } from '../hooks/read-input.ts'
import { gateConfirmations, wasStarted } from './adk-confirmations.ts'
import { escalationsIn, type ToolContext } from './adk-escalations.ts'
import { answered, approvalRequestOf } from './approval.ts'

type Tool = { name: string }
type ToolCallParams = { tool: Tool; toolArgs: Record<string, unknown>; toolContext: ToolContext }
type RunParams = { invocationContext: { agent?: object } }
type ToolResult = Record<string, unknown> | undefined

export type AdkGuardOptions = {
  guard: Guard
  /** The card action each tool performs, keyed by tool name. */
  actions?: Readonly<Record<string, string>>
}

/**
 * A plugin for a `Runner` of Google's Agent Development Kit. Every tool call of the runner's agents is decided before it is made. A refused call is answered
 * with `{ error }`; a call that has to be approved pauses the run as ADK's own tool confirmation.
 */
export function touchstonePlugin({ guard, actions }: AdkGuardOptions): BasePlugin {
  const admissions = new WeakMap<ToolContext, Admission>()

  async function beforeToolCallback(params: ToolCallParams): Promise<ToolResult> {
    const { tool, toolContext } = params
    const { functionCallId, toolConfirmation } = toolContext
    const escalations = escalationsIn(toolContext)
    const escalationId = escalations.take(functionCallId)
    // A confirmation that the tool itself asked for is no answer to an escalation.
    const answer = escalationId === undefined ? undefined : toolConfirmation?.confirmed
    if (answer === false) return { error: `${tool.name} was not called: it was not approved.` }
    const call = { ...callOf(params, actions), escalationId }
    const held = await guard.admit(call, { holdEscalated: true })
    const request = approvalRequestOf(call, held)
    if (request !== undefined && answer === undefined && functionCallId !== undefined) {
      held.end('refused')
      const hint = held.refusal?.message ?? ''
      toolContext.requestConfirmation({ hint, payload: request })
      escalations.set(functionCallId, request.escalation_id)
      return { error: hint }
    }
    const isApproved = answer === true
    const admission =
      request === undefined ? held : await answered(guard, call, { admission: held, isApproved })
    if (admission.refusal !== undefined) return { error: admission.refusal.message }
    admissions.set(toolContext, admission)
    return undefined
  }

  /** Also called for a call that was refused or failed. */
  async function afterToolCallback(
    params: ToolCallParams & { result: unknown },
  ): Promise<undefined> {
    const { tool, toolContext, result } = params
    const admission = take(admissions, toolContext)
    // A tool that asks for a confirmation of its own was not executed, and is called again.
    const wasMade = wasStarted(tool, toolContext) && !isPaused(toolContext)
    if (!wasMade) admission?.end('refused')
    else if (Object(result).isError === true)
      admission?.end('failed', 'The tool reported an error.')
    else admission?.end('succeeded')
  }

  async function onToolErrorCallback(
    params: ToolCallParams & { error: Error },
  ): Promise<undefined> {
    take(admissions, params.toolContext)?.end('failed', params.error)
  }

  async function beforeRunCallback(params: RunParams): Promise<undefined> {
    gateConfirmations(params.invocationContext.agent)
  }

  /** Agents of a workflow are its nodes. */
  async function beforeNodeCallback({ node }: { node: object }): Promise<undefined> {
    gateConfirmations(node)
  }

  return Object.assign(new Plugin('touchstone'), {
    beforeRunCallback,
    beforeNodeCallback,
    beforeToolCallback,
    afterToolCallback,
    onToolErrorCallback,
  })
}

/** ADK calls every callback of a plugin, also those that are added in later versions. */
class Plugin extends BasePlugin {}

function callOf(
  { tool, toolArgs, toolContext }: ToolCallParams,
  actions: AdkGuardOptions['actions'],
): ToolCall {
  return {
    tool: tool.name,
    action: actions?.[tool.name],
    arguments: toolArgs,
    thinking: thinkingOf(toolContext),
    sessionId: sessionOf(toolContext.invocationContext.session.id),
    signal: toolContext.abortSignal,
  }
}

function isPaused({ functionCallId, actions }: ToolContext): boolean {
  return functionCallId !== undefined && functionCallId in actions.requestedToolConfirmations
}

/** The model's thoughts and words before the call; a stream has them in events of their own. */
function thinkingOf({ functionCallId, invocationContext }: ToolContext): string | undefined {
  const { events } = invocationContext.session
  const at = events.findLastIndex(({ content }) =>
    content?.parts?.some(
      ({ functionCall }) => functionCall?.id !== undefined && functionCall.id === functionCallId,
    ),
  )
  const before = events.slice(0, at + 1)
  const start = before.findLastIndex(({ content }) => content?.role === 'user') + 1
  const texts = before
    .slice(start)
    .flatMap(({ content }) => content?.parts ?? [])
    .flatMap(({ text }) => text ?? [])
  return texts.length === 0 ? undefined : texts.join('\n')
}

function take<K extends object, V>(map: WeakMap<K, V>, key: K): V | undefined {
  const value = map.get(key)
  map.delete(key)
  return value
}
