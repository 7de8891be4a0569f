import { interrupt, isGraphInterrupt } from '@langchain/langgraph'
import type { Admission, Guard } from '../guard/guard.ts'
import type { ToolCall } from '../guard/tool-call.ts'
import { sessionOf } from '../hooks/read-input.ts'
import { type ApprovalRequest, answered, approvalRequestOf } from './approval.ts'
import { modelWords } from './model-words.ts'

export type LangGraphGuardOptions = {
  guard: Guard
  /** The card action each tool performs, keyed by tool name. */
  actions?: Readonly<Record<string, string>>
}

/** A tool call in a message of a model. */
export type GraphCall = { id?: string; name: string; args: Readonly<Record<string, unknown>> }

/** The facts about a run that LangGraph passes with its configuration. */
type RunFacts = {
  configurable?: Readonly<Record<string, unknown>> | undefined
  signal?: AbortSignal | undefined
}

/** The call as the guard decides about it. The thread is the session. */
export function toolCallOf(
  { actions }: LangGraphGuardOptions,
  call: GraphCall,
  { message, run }: { message: unknown; run: RunFacts },
): ToolCall {
  return {
    tool: call.name,
    action: actions?.[call.name],
    arguments: call.args,
    thinking: thinkingOf(message),
    sessionId: sessionOf(run.configurable?.['thread_id']),
    signal: run.signal,
  }
}

/** Providers keep reasoning in `additional_kwargs` if they have no content blocks for it. */
function thinkingOf(message: unknown): string | undefined {
  const { content, additional_kwargs: extra } = Object(message)
  return modelWords([Object(extra).reasoning_content, Object(extra).reasoning, content])
}

export type AdmittedCall = { call: ToolCall; callId: string | undefined; admission: Admission }

/**
 * The decisions about calls that one task of a graph makes. Escalated calls interrupt the graph before
 * any of the calls is made; all of them are decided again when it is resumed.
 */
export async function admitInGraph(
  guard: Guard,
  calls: readonly Omit<AdmittedCall, 'admission'>[],
): Promise<AdmittedCall[]> {
  const admitted: AdmittedCall[] = []
  for (const one of calls) {
    admitted.push({ ...one, admission: await guard.admit(one.call, { holdEscalated: true }) })
  }
  const answer = answerAbout(admitted)
  return Promise.all(
    admitted.map(async (one) => ({ ...one, admission: await settled(guard, one, answer) })),
  )
}

/** The answer about a call that the graph was resumed with; undefined if nobody was asked about it. */
type Answers = (callId: string | undefined) => boolean | undefined

function answerAbout(admitted: readonly AdmittedCall[]): Answers {
  const asksAgain = admitted.some(({ admission }) => admission.escalation !== undefined)
  // The service may have approved a call whose run its user rejects, so the answer is read then, too.
  const wasApproved = admitted.some(({ admission }) => admission.verdict.escalationId !== null)
  if (!asksAgain && !wasApproved) return () => undefined
  try {
    const answer = interrupt(humanRequestOf(admitted))
    return (callId) => isApproval(answer, callId, admitted)
  } catch (pause) {
    // Without a checkpointer the graph cannot be resumed, so the refusals stand.
    const canPause = isGraphInterrupt(pause)
    if (!asksAgain || !canPause) return () => undefined
    for (const { admission } of admitted) admission.end('refused')
    throw pause
  }
}

async function settled(
  guard: Guard,
  { call, callId, admission }: AdmittedCall,
  answers: Answers,
): Promise<Admission> {
  const { escalation, verdict, refusal } = admission
  const isApproved = answers(callId)
  if (escalation !== undefined) return answered(guard, call, { admission, isApproved })
  const isRejected = refusal === undefined && verdict.escalationId !== null && isApproved === false
  return isRejected ? answered(guard, call, { admission, isApproved }) : admission
}

/** The request of LangChain's human-in-the-loop middleware, with the facts about each escalation. */
function humanRequestOf(admitted: readonly AdmittedCall[]) {
  const requests = admitted.flatMap(({ call, callId, admission }) => {
    const request = approvalRequestOf(call, admission)
    return request === undefined ? [] : [{ ...request, tool_call_id: callId }]
  })
  return {
    actionRequests: requests.map((request) => ({
      name: request.tool,
      args: request.arguments,
      description: descriptionOf(request),
    })),
    reviewConfigs: requests.map(({ tool }) => ({
      actionName: tool,
      allowedDecisions: ['approve', 'reject'],
    })),
    touchstone: requests,
  }
}

function descriptionOf({ reasons, approve_url: url, local }: ApprovalRequest): string {
  const where = url === undefined || local ? [] : [`Approve it at ${url}, then resume the run.`]
  return [...reasons, ...where].join('\n')
}

/**
 * The answer is `{decisions: [{type: 'approve' | 'reject', tool_call_id?}]}`. With several calls each
 * decision has to name its call, because their order may have changed since the graph was interrupted.
 * Calls to which the model gave one id are approved only together, by as many decisions. Anything else
 * is no approval.
 */
function isApproval(
  answer: unknown,
  callId: string | undefined,
  admitted: readonly AdmittedCall[],
): boolean {
  const { decisions } = Object(answer)
  const list: unknown[] = Array.isArray(decisions) ? decisions : []
  const isOnly = admitted.length === 1 && list.length === 1
  const about = list.map(Object).filter(({ tool_call_id: named }) => {
    return named === undefined ? isOnly : named === callId
  })
  const needed = admitted.filter((one) => one.callId === callId).length
  return about.length >= needed && about.every(({ type }) => type === 'approve')
}
