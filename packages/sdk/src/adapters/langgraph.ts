import { ToolMessage } from '@langchain/core/messages'
import { isGraphInterrupt } from '@langchain/langgraph'
import type { Admission } from '../guard/guard.ts'
import type { GuardRefusal } from '../guard/guard-refusal.ts'
import {
  admitInGraph,
  type GraphCall,
  type LangGraphGuardOptions,
  toolCallOf,
} from './langgraph-calls.ts'

export type { LangGraphGuardOptions } from './langgraph-calls.ts'

/** The part of LangGraph's `ToolNode` that this adapter uses. */
type ToolNode = { invoke(state: object, config: object): Promise<unknown> }

type Messages = readonly object[]

/**
 * Guards a tool node of a graph whose state has `messages`; pass the result to `addNode`. A refused call
 * becomes a tool message with the status `error`, and only the other calls reach the node. An escalated
 * call interrupts the graph before any call is made, if it has a checkpointer.
 */
export function guardToolNode(node: ToolNode, options: LangGraphGuardOptions) {
  return async (state: { messages: Messages }, config: object) => {
    const index = state.messages.findLastIndex((one) => 'tool_calls' in one)
    const message = state.messages[index]
    const later = state.messages.slice(index + 1)
    const { refused, allowed } = await admitCalls(options, { message, later, config })
    if (allowed.size === 0) return { messages: refused }
    const calls = await Promise.allSettled(
      [...allowed].map(async ([call, admission]) => {
        const messages = [...state.messages.slice(0, index), copyWith(message, call), ...later]
        return makeCall(admission, call, () => node.invoke({ ...state, messages }, config))
      }),
    )
    throwFirst(calls)
    const outputs = calls.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    // With a command among them, the outputs are updates of the state rather than messages.
    const hasCommand = outputs.some((one) => messagesOf(one).length === 0)
    return hasCommand
      ? [{ messages: refused }, ...outputs]
      : { messages: [...refused, ...messagesOf(outputs)] }
  }
}

/**
 * The node makes one call at a time, because it tells nothing about the others when one of them throws
 * or interrupts the graph.
 */
async function makeCall(
  admission: Admission,
  { id }: GraphCall,
  make: () => Promise<unknown>,
): Promise<unknown[]> {
  try {
    const output = await make()
    const result = messagesOf(output).find((one) => toolCallIdOf(one) === id)
    endGraphCall(admission, result)
    return Array.isArray(output) ? output : [output]
  } catch (error) {
    endThrownCall(admission, error)
    throw error
  }
}

/** An error ends the run, so it goes before an interrupt, with which the run could be resumed. */
function throwFirst(calls: readonly PromiseSettledResult<unknown>[]): void {
  const reasons = calls.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (reasons.length > 0) throw reasons.find((one) => !isGraphInterrupt(one)) ?? reasons[0]
}

type AnsweringNode = { message: object | undefined; later: Messages; config: object }

/** The decisions about the calls of a message that have no result yet. */
async function admitCalls(
  options: LangGraphGuardOptions,
  { message, later, config }: AnsweringNode,
) {
  const answeredIds = new Set(later.map(toolCallIdOf))
  const calls = callsOf(message).filter(({ id }) => id === undefined || !answeredIds.has(id))
  const admitted = await admitInGraph(
    options.guard,
    calls.map((call) => ({
      call: toolCallOf(options, call, { message, run: config }),
      callId: call.id,
    })),
  )
  const refused: object[] = []
  const allowed = new Map<GraphCall, Admission>()
  for (const [place, call] of calls.entries()) {
    const admission = admitted[place]?.admission
    if (admission?.refusal !== undefined) refused.push(refusedCall(call, admission.refusal))
    else if (admission !== undefined) allowed.set(call, admission)
  }
  return { refused, allowed }
}

export function refusedCall(call: GraphCall, refusal: GuardRefusal): ToolMessage {
  return new ToolMessage({
    content: refusal.message,
    tool_call_id: call.id ?? '',
    name: call.name,
    status: 'error',
  })
}

/** A tool that threw has a message with the status `error` in place of its result. */
export function endGraphCall(admission: Admission, result: object | undefined): void {
  const { status, content } = Object(result)
  if (status === 'error') admission.end('failed', content)
  else admission.end('succeeded')
}

/** A tool that interrupts the graph is called again when it is resumed, after another decision. */
export function endThrownCall(admission: Admission, error: unknown): void {
  if (isGraphInterrupt(error)) admission.end('refused')
  else admission.end('failed', error)
}

function callsOf(message: object | undefined): GraphCall[] {
  const { tool_calls: calls } = Object(message)
  return Array.isArray(calls) ? calls : []
}

function toolCallIdOf(message: object): unknown {
  return 'tool_call_id' in message ? message.tool_call_id : undefined
}

/** The same message with one of its calls, of the same class. */
function copyWith(message: object | undefined, call: GraphCall): object {
  const copy = Object.create(Object.getPrototypeOf(message))
  return Object.assign(copy, message, { tool_calls: [call] })
}

function messagesOf(output: unknown): object[] {
  const outputs: unknown[] = Array.isArray(output) ? output : [output]
  return outputs.flatMap((one) => {
    const { messages, tool_call_id: id } = Object(one)
    if (id !== undefined) return [Object(one)]
    return Array.isArray(messages) ? messages : []
  })
}
