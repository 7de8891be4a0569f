/** A tool call that is about to be made. */
export type ToolCall = {
  tool: string
  /** Policy conditions can refer to these, for example as `args.amount`. Never stored. */
  arguments?: Readonly<Record<string, unknown>> | undefined
  /** The card action the call performs; the tool's name by default. */
  action?: string | undefined
  /** The agent's own words on why it makes the call, which are shown to the people who approve it. */
  justification?: string | undefined
  /** The model's reasoning before the call. Analysed as a checkpoint and not stored. */
  thinking?: string | undefined
  sessionId?: string | undefined
  transactionId?: string | undefined
  /** From an earlier refusal, after a person has approved it. */
  escalationId?: string | undefined
  signal?: AbortSignal | undefined
}

export type Reason = { code: string; message: string; severity?: string | null }

export type Notice = { nudge_id: string; message: string }

/** The decision about a call and where it came from. */
export type Verdict = {
  decision: 'allow' | 'warn' | 'escalate' | 'block'
  /** `local`: the local policy. `none`: no decision was available and the fallback applies. */
  source: 'service' | 'local' | 'none'
  reasons: readonly Reason[]
  /** The service keeps a receipt under this id; null unless `source` is `service`. */
  decisionId: string | null
  escalationId: string | null
  /** Messages of the service for the agent, each delivered once. */
  notices: readonly Notice[]
}

export function isAllowed({ decision }: Verdict): boolean {
  return decision === 'allow' || decision === 'warn'
}
