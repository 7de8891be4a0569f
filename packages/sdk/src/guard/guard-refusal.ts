import type { Reason, Verdict } from './tool-call.ts'

export type RefusalCode =
  /** Blocked by the policy, or because the agent is paused or killed. */
  | 'blocked'
  /** Waiting for a person to approve the call. */
  | 'escalated'
  /** A person rejected the call, or the approval request expired. */
  | 'rejected'
  /** The service could not be reached. */
  | 'unavailable'
  /** The evidence queue is full because the service could not be reached. */
  | 'evidence_full'

/** The tool was not called. The message can be shown to the model: it says why in whole sentences. */
export class GuardRefusal extends Error {
  readonly code: RefusalCode
  readonly tool: string
  readonly reasons: readonly Reason[]
  /** Pass this as `escalationId` when you repeat the call after it was approved. */
  readonly escalationId: string | undefined

  constructor(code: RefusalCode, tool: string, verdict: Verdict, cause?: unknown) {
    super(messageOf(code, tool, verdict), { cause })
    this.name = 'GuardRefusal'
    this.code = code
    this.tool = tool
    this.reasons = verdict.reasons
    this.escalationId = verdict.escalationId ?? undefined
  }
}

const SUMMARIES: Readonly<Record<RefusalCode, string>> = {
  blocked: 'was not called: it is not allowed',
  escalated: 'was not called: a person has to approve it first',
  rejected: 'was not called: it was not approved',
  unavailable: 'was not called: the service that decides could not be reached',
  evidence_full: 'was not called: records of earlier calls could not be sent yet',
}

function messageOf(code: RefusalCode, tool: string, { reasons }: Verdict): string {
  const explanation = [...new Set(reasons.map(({ message }) => message))].join('; ')
  return `${tool} ${SUMMARIES[code]}${explanation === '' ? '.' : `. ${explanation}`}`
}
