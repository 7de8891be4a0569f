import { ApiError } from '../api-error.ts'
import type { Client } from '../client.ts'
import type { Answer } from '../operation.ts'
import type { Reason, ToolCall, Verdict } from './tool-call.ts'

type Decided = Answer<'POST', '/v1/gateway/decide'>

/** The service gave no answer to the question, so that something else has to decide. */
export class Unavailable extends Error {}

export type Asking = { client: Client; agentId: string; timeoutMs: number }

/** Throws Unavailable where there is no answer, and the ApiError where the question was wrong. */
export async function askService(asking: Asking, call: ToolCall): Promise<Verdict> {
  const { client, agentId, timeoutMs } = asking
  const late = new AbortController()
  // Unlike a signal's own, this one is not left to run out after the answer.
  const timer = setTimeout(() => late.abort(timeoutError(timeoutMs)), timeoutMs)
  const signal = call.signal ? AbortSignal.any([call.signal, late.signal]) : late.signal
  try {
    const body = bodyOf(agentId, call)
    return fromAnswer(await client.request('POST', '/v1/gateway/decide', { body, signal }))
  } catch (error) {
    if (call.signal?.aborted) throw error
    if (isContained(error)) return fromContainment(error)
    throw unlessAnswered(error)
  } finally {
    clearTimeout(timer)
  }
}

function timeoutError(ms: number): DOMException {
  return new DOMException(`There was no answer within ${ms} ms.`, 'TimeoutError')
}

/** The error itself where the service has answered with it, else that it is unavailable. */
export function unlessAnswered(error: unknown): unknown {
  if (isAnswer(error)) return error
  return new Unavailable('The service could not be asked.', { cause: error })
}

function bodyOf(agentId: string, call: ToolCall) {
  return {
    agent_id: agentId,
    tool: call.tool,
    ...(call.arguments && { arguments: { ...call.arguments } }),
    ...(call.sessionId !== undefined && { session_id: call.sessionId }),
    ...(call.transactionId !== undefined && { transaction_id: call.transactionId }),
    ...(call.escalationId !== undefined && { escalation_id: call.escalationId }),
  }
}

function fromAnswer(answer: Decided): Verdict {
  return {
    decision: answer.decision,
    source: 'service',
    reasons: answer.reasons,
    decisionId: answer.decision_id,
    escalationId: answer.escalation_id,
    notices: answer.notices,
  }
}

/** About our key or our question; waiting and asking again would change nothing. */
function isAnswer(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.status !== 429
}

/** A stopped agent is answered with 403 and a decision in it. */
function isContained(error: unknown): error is ApiError & { body: Record<string, unknown> } {
  if (!(error instanceof ApiError) || error.status !== 403) return false
  return Object(error.body).type === 'containment_error'
}

function fromContainment(error: ApiError & { body: Record<string, unknown> }): Verdict {
  const { reason, decision_id } = error.body
  const found: Reason = { code: String(reason), message: error.message }
  return {
    decision: 'block',
    source: 'service',
    reasons: [found],
    decisionId: typeof decision_id === 'string' ? decision_id : null,
    escalationId: null,
    notices: [],
  }
}
