import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { ESCALATION_PENDING } from '@touchstone/protocol/policy'
import type { Admission, Guard, GuardRefusal, Verdict } from '@touchstone/sdk/guard'
import { reasonOf } from '../reason.ts'
import { createApprovals } from './approvals.ts'
import type { Ruling, ToolCall } from './relay.ts'

export type GatekeeperOptions = {
  guard: Pick<Guard, 'admit'>
  transaction: string | undefined
  note(line: string): void
}

const DECISION_KEY = 'touchstone/decision'

/** Translates decisions of the guard into MCP results. Never throws: an error refuses the call. */
export function createGatekeeper({ guard, transaction, note }: GatekeeperOptions) {
  const approvals = createApprovals()

  return async (call: ToolCall): Promise<Ruling> => {
    try {
      const escalationId = approvals.find(call)
      const asked = { ...call, transactionId: transaction }
      const first = await guard.admit({ ...asked, escalationId })
      // The reason for the escalation is gone, for example because a changed tool was accepted.
      const isSettled = escalationId !== undefined && isOnlyPending(first)
      const admission = isSettled ? await guard.admit(asked) : first
      approvals.remember(call, admission.verdict)
      return rulingOf(admission, { tool: call.tool, note })
    } catch (err) {
      const reason = reasonOf(err)
      note(`${call.tool} was refused: ${reason}`)
      return { allowed: false, result: toolError(reason) }
    }
  }
}

/** Whether nothing stops the call but the escalation that it names. */
function isOnlyPending({ refusal, verdict: { reasons } }: Admission): boolean {
  return refusal !== undefined && reasons.length > 0 && reasons.every(isPending)
}

function isPending({ code, message }: Verdict['reasons'][number]): boolean {
  return code === 'escalation' && message === ESCALATION_PENDING
}

type RulingContext = { tool: string; note(line: string): void }

function rulingOf(
  { verdict, refusal, cause, end }: Admission,
  { tool, note }: RulingContext,
): Ruling {
  const notices = verdict.notices.map(({ message }) => `Touchstone: ${message}`)
  const isFallback = verdict.source === 'none'
  if (refusal === undefined) {
    const reason = reasonOf(cause)
    if (isFallback) note(`${tool} was allowed because the service could not be reached: ${reason}`)
    return { allowed: true, notices, reportOutcome: end }
  }
  const text = [...describeRefusal(refusal), ...notices].join('\n')
  if (isFallback) note(`${tool} was refused: ${text}`)
  return { allowed: false, result: toolError(text, verdict) }
}

function describeRefusal({ code, reasons, escalationId, message, cause }: GuardRefusal): string[] {
  const messages = [...new Set(reasons.map((reason) => reason.message))].join('; ')
  if (code === 'blocked') return [`Refused by Touchstone: ${messages}`]
  if (code === 'unavailable') {
    return [`Touchstone could not be reached (${reasonOf(cause)}), so the tool was not called.`]
  }
  if (code !== 'escalated') return [message]
  return [
    `A person must approve this call first: ${messages}`,
    `Escalation ${escalationId}. Once it is approved, make the same call again.`,
  ]
}

function toolError(text: string, verdict?: Verdict): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    isError: true,
    ...(verdict?.source === 'service' && {
      _meta: {
        [DECISION_KEY]: {
          decision_id: verdict.decisionId,
          decision: verdict.decision,
          reasons: verdict.reasons,
          escalation_id: verdict.escalationId,
        },
      },
    }),
  }
}
