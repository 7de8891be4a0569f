import type { components } from '../api.ts'
import { ApiError } from '../api-error.ts'
import type { Client } from '../client.ts'
import { hasText, sanitise } from './evidence-text.ts'
import type { Reason, ToolCall, Verdict } from './tool-call.ts'

type Decided = components['schemas']['Decision']

/** The longest justification of a call (spec: decisions §4). */
const JUSTIFICATION_MAX = 2_000

/** The service could not be reached or failed, so the fallback has to decide. */
export class Unavailable extends Error {}

export type DecisionSource = { client: Client; agentId: string | undefined; timeoutMs: number }

/** Throws Unavailable if the service does not decide, and the ApiError if the request was wrong. */
export async function requestDecision(source: DecisionSource, call: ToolCall): Promise<Verdict> {
  const { client, agentId, timeoutMs } = source
  const timeout = new AbortController()
  // AbortSignal.timeout cannot be cancelled and would keep its timer after the response.
  const timer = setTimeout(() => timeout.abort(timeoutError(timeoutMs)), timeoutMs)
  const signal = call.signal ? AbortSignal.any([call.signal, timeout.signal]) : timeout.signal
  try {
    const body = toBody(agentId, call)
    return fromAnswer(await client.request('POST', '/v1/gateway/decide', { body, signal }))
  } catch (error) {
    if (call.signal?.aborted) throw error
    if (isContained(error)) return fromContainment(error)
    throw toUnavailable(error)
  } finally {
    clearTimeout(timer)
  }
}

function timeoutError(ms: number): DOMException {
  return new DOMException(`The service did not answer within ${ms} ms.`, 'TimeoutError')
}

/** Keeps an error that rejects the request itself; wraps any other error in Unavailable. */
export function toUnavailable(error: unknown): unknown {
  if (isRejection(error)) return error
  return new Unavailable('The service is unavailable.', { cause: error })
}

function toBody(agentId: string | undefined, call: ToolCall) {
  return {
    ...(agentId !== undefined && { agent_id: agentId }),
    tool: call.tool,
    ...(call.arguments && { arguments: { ...call.arguments } }),
    ...(call.sessionId !== undefined && { session_id: call.sessionId }),
    ...(call.transactionId !== undefined && { transaction_id: call.transactionId }),
    ...(call.escalationId !== undefined && { escalation_id: call.escalationId }),
    ...(hasText(call.justification) && {
      justification: sanitise(call.justification, JUSTIFICATION_MAX),
    }),
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

/** The key or the request is wrong, so a retry would fail in the same way. */
function isRejection(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500 && error.status !== 429
}

/** For a paused or killed agent the service answers 403 with a decision in the body. */
function isContained(error: unknown): error is ApiError & { body: Record<string, unknown> } {
  if (!(error instanceof ApiError) || error.status !== 403) return false
  return Object(error.body).type === 'containment_error'
}

function fromContainment(error: ApiError & { body: Record<string, unknown> }): Verdict {
  const { reason, decision_id } = error.body
  const containment: Reason = { code: String(reason), message: error.message }
  return {
    decision: 'block',
    source: 'service',
    reasons: [containment],
    decisionId: typeof decision_id === 'string' ? decision_id : null,
    escalationId: null,
    notices: [],
  }
}
