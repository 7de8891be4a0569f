/** A tool call that is about to be made. */
export type ToolCall = {
  tool: string
  /** What conditions of the policy may ask for, such as `args.amount`; never stored. */
  arguments?: Readonly<Record<string, unknown>> | undefined
  /** The action of the card that the call is; the tool's own name where none is given. */
  action?: string | undefined
  /** What the model thought before it called; it is judged as a checkpoint and not stored. */
  thinking?: string | undefined
  sessionId?: string | undefined
  transactionId?: string | undefined
  /** Of an earlier refusal, once a person has approved it. */
  escalationId?: string | undefined
  signal?: AbortSignal | undefined
}

export type Reason = { code: string; message: string; severity?: string | null }

export type Notice = { nudge_id: string; message: string }

/** What was decided about a call, and by whom. */
export type Verdict = {
  decision: 'allow' | 'warn' | 'escalate' | 'block'
  /** `local`: by the policy at hand. `none`: nobody could be asked, and that is what then holds. */
  source: 'service' | 'local' | 'none'
  reasons: readonly Reason[]
  /** With a receipt at the service; null for what was decided locally or by nobody. */
  decisionId: string | null
  escalationId: string | null
  /** What the service wants the agent to be told, once. */
  notices: readonly Notice[]
}

export function isLetThrough({ decision }: Verdict): boolean {
  return decision === 'allow' || decision === 'warn'
}
