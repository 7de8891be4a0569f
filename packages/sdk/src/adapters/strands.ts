import { ExecuteToolStage, InvokeModelStage, TextBlock, ToolResultBlock } from '@strands-agents/sdk'
import { bytesToHex, canonicalJson } from '@touchstone/protocol/base'
import type { Guard } from '../guard/guard.ts'
import { asArguments } from '../guard/guard-tool.ts'
import { sessionOf } from '../hooks/read-input.ts'
import { admitOrAsk } from './approval.ts'
import { createCallWords } from './call-words.ts'
import { createOpenCalls } from './open-calls.ts'

/**
 * The parts of the types of `@strands-agents/sdk` 1 that this adapter uses. Where it says `never`, the
 * SDK's own types are generic, and only it can check them.
 */
type Agent = { sessionId: string; addMiddleware(stage: never, handler: never): unknown }
type ToolContext = {
  agent: { sessionId: string }
  toolUse: { name: string; toolUseId: string; input: unknown }
  cancelSignal: AbortSignal
  interrupt(params: { name: string; reason?: never; response?: never }): { response: unknown }
}
type ToolResult = { result: ToolResultBlock }
type ModelResult = { result: { message: { content: readonly Block[] } } }
type Block = { type: string; text?: string; toolUseId?: string; input?: unknown }
type Next<C, R> = (context: C) => AsyncGenerator<unknown, R, undefined>

export type StrandsGuardOptions = {
  guard: Guard
  /** The card action each tool performs, keyed by tool name. */
  actions?: Readonly<Record<string, string>>
}

/** Escalations of this many calls are remembered until the calls are made. */
const REMEMBERED_MAX = 1000

/** Asks for the answer to an interrupt without raising one. */
const UNANSWERED = { touchstone: 'unanswered' }

/**
 * A plugin for agents of the Strands Agents SDK. Every tool call is decided before it is made, as the
 * last step if the plugin is the agent's last. A refused call is answered with an error result; a call
 * that has to be approved interrupts the agent.
 */
export function touchstonePlugin({ guard, actions }: StrandsGuardOptions) {
  const words = createCallWords()
  const escalations = createOpenCalls<string>(REMEMBERED_MAX)

  async function* invokeModel<C>(context: C, next: Next<C, ModelResult>) {
    const answer = yield* next(context)
    const { content } = answer.result.message
    const said = content
      .flatMap(({ type, text }) => (isThought(type) && text !== undefined ? text : []))
      .join('\n')
    const thinking = said === '' ? undefined : said
    for (const { toolUseId, input } of content) {
      if (toolUseId !== undefined) words.note(toolUseId, input, thinking)
    }
    return answer
  }

  async function* executeTool(context: ToolContext, next: Next<ToolContext, ToolResult>) {
    const { toolUse, agent, cancelSignal: signal } = context
    const { name: tool, toolUseId, input } = toolUse
    const refused = (message: string) => {
      const content = [new TextBlock(message)]
      return { result: new ToolResultBlock({ toolUseId, status: 'error', content }) }
    }
    const interrupt = await interruptOf(toolUse)
    const answer = answerTo(context, interrupt)
    if (answer === false) return refused(`${tool} was not called: it was not approved.`)
    const call = {
      tool,
      action: actions?.[tool],
      arguments: asArguments(input),
      thinking: words.find(toolUseId, input),
      sessionId: sessionOf(agent.sessionId),
      // Some models repeat the ids of calls.
      escalationId: answer && escalations.take(toolUseId),
      signal,
    }
    const { refusal, end } = await admitOrAsk(guard, call, (request) => {
      if (answer === true) return true
      escalations.open(toolUseId, request.escalation_id)
      // Throws; this is called again when the agent is resumed.
      return context.interrupt({ name: interrupt, reason: request as never }).response === true
    })
    if (refusal !== undefined) return refused(refusal.message)
    try {
      const done = yield* next(context)
      const { status, error = 'The tool reported an error.' } = done.result
      if (status === 'error') end('failed', error)
      else end('succeeded')
      return done
    } catch (error) {
      // A tool that interrupts the agent is called again, and decided again.
      if (error instanceof Error && error.name === 'InterruptError') end('refused')
      else end('failed', error)
      throw error
    }
  }

  return {
    name: 'touchstone',
    initAgent(agent: Agent): void {
      agent.addMiddleware(InvokeModelStage as never, invokeModel as never)
      agent.addMiddleware(ExecuteToolStage as never, executeTool as never)
    },
  }
}

function isThought(type: string): boolean {
  return type === 'reasoningBlock' || type === 'textBlock'
}

/**
 * The name of the interrupt with which a call waits for an approval. It names the call itself, because
 * a model may give two calls the same id, and the answer for one must not be taken for the other.
 */
async function interruptOf({ name, input }: ToolContext['toolUse']): Promise<string> {
  const call = new TextEncoder().encode(canonicalJson([name, input]))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', call))
  return `touchstone-${bytesToHex(hash)}`
}

/** Whether the user approved the call; undefined if nobody was asked yet. */
function answerTo(context: ToolContext, name: string): boolean | undefined {
  const { response } = context.interrupt({ name, response: UNANSWERED as never })
  if (response === UNANSWERED) return undefined
  // The same answers as those to the SDK's own confirmations.
  if (typeof response === 'string') return ['y', 'yes'].includes(response.trim().toLowerCase())
  return response === true
}
