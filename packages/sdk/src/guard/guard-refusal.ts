import type { Reason, Verdict } from './tool-call.ts'

export type RefusalCode =
  /** By the policy, or because the agent is stopped. */
  | 'blocked'
  /** A person has been asked and has not answered yet. */
  | 'escalated'
  /** A person was asked and said no, or nobody answered in time. */
  | 'rejected'
  /** The service could not be asked. */
  | 'unavailable'
  /** There is no room left for evidence that could not be sent. */
  | 'evidence_full'

/** The tool was not called. The message is fit for the model: it says why in whole sentences. */
export class GuardRefusal extends Error {
  readonly code: RefusalCode
  readonly tool: string
  readonly reasons: readonly Reason[]
  /** To be named when the call is tried again after somebody has approved it. */
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

const LEADS: Readonly<Record<RefusalCode, string>> = {
  blocked: 'was not called: it is not allowed',
  escalated: 'was not called: a person has to approve it first',
  rejected: 'was not called: it was not approved',
  unavailable: 'was not called: nobody could say whether it is allowed',
  evidence_full: 'was not called: what came before is not recorded yet',
}

function messageOf(code: RefusalCode, tool: string, { reasons }: Verdict): string {
  const said = [...new Set(reasons.map(({ message }) => message))].join('; ')
  return `${tool} ${LEADS[code]}${said === '' ? '.' : `. ${said}`}`
}
