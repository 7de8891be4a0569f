import type { Admission, Guard } from '../guard/guard.ts'
import { GuardRefusal } from '../guard/guard-refusal.ts'
import type { ToolCall } from '../guard/tool-call.ts'

/** An escalated call, as a framework shows it to its user. It has a JSON form. */
export type ApprovalRequest = {
  tool: string
  arguments: Readonly<Record<string, unknown>>
  reasons: readonly string[]
  escalation_id: string
  /** The page where a person can approve the call; undefined if the service could not be asked. */
  approve_url?: string
  /** Whether the framework's user can approve it (`approval.local`). If not, only the service can. */
  local: boolean
}

/**
 * The decision about a call in a framework whose runs can pause. `ask` pauses the run by throwing, and
 * returns the answer of the framework's user once there is one, or undefined if there is nobody to ask.
 * A user can always reject; if they approve what only the service can approve, the service is asked again.
 */
export async function admitOrAsk(
  guard: Guard,
  call: ToolCall,
  ask: (request: ApprovalRequest) => boolean | undefined | Promise<boolean | undefined>,
): Promise<Admission> {
  const admission = await guard.admit(call, { holdEscalated: true })
  const request = approvalRequestOf(call, admission)
  if (request === undefined) return admission
  let isApproved: boolean | undefined
  try {
    isApproved = await ask(request)
  } catch (pause) {
    admission.end('refused')
    throw pause
  }
  return answered(guard, call, { admission, isApproved })
}

/** Undefined unless the call is held. */
export function approvalRequestOf(
  call: ToolCall,
  { escalation, verdict }: Admission,
): ApprovalRequest | undefined {
  if (escalation === undefined) return undefined
  const { escalationId, approveUrl, local } = escalation
  return {
    tool: call.tool,
    arguments: call.arguments ?? {},
    reasons: verdict.reasons.map(({ message }) => message),
    escalation_id: escalationId,
    ...(approveUrl !== undefined && { approve_url: approveUrl }),
    local,
  }
}

/** The admission of a held call after the framework's user has answered; undefined is no answer. */
export async function answered(
  guard: Guard,
  call: ToolCall,
  answer: { admission: Admission; isApproved: boolean | undefined },
): Promise<Admission> {
  const { admission, isApproved } = answer
  if (isApproved && admission.escalation?.local) return { ...admission, refusal: undefined }
  admission.end('refused')
  if (isApproved === undefined) return { ...admission, end: () => undefined }
  if (!isApproved) return { ...admission, ...rejection(call, admission) }
  return guard.admit({ ...call, escalationId: admission.escalation?.escalationId })
}

function rejection({ tool }: ToolCall, { verdict }: Admission): Pick<Admission, 'refusal' | 'end'> {
  return { refusal: new GuardRefusal('rejected', tool, verdict), end: () => undefined }
}
