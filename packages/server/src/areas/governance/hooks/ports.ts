import type { HookOutcome } from '@touchstone/sdk/hooks'

/** The organisation that owns the agent. */
export type Org = { orgId: string; accountId: string }

/** The key of an agent whose client sends its hooks here. */
export type HookCaller = { keyId: string; agentId: string; enforces: boolean; client: string }

export type ToolCall = {
  agentId: string
  tool: string
  arguments: Readonly<Record<string, unknown>> | undefined
  sessionId: string | undefined
  callId: string | undefined
}

export type Answered = {
  decision: 'allow' | 'warn' | 'escalate' | 'block'
  reasons: readonly { message: string }[]
  notices: readonly { message: string }[]
  escalationId: string | null
}

export type Gateway = {
  decide(org: Org, call: ToolCall, caller: HookCaller): Promise<Answered>
}

export type Outcomes = {
  /**
   * Stores the outcome of the call with this id, or else of the newest call of the session with the same
   * tool and arguments that has none. Does nothing if there is no such decision.
   */
  reportCall(
    org: Org,
    caller: HookCaller,
    call: ToolCall,
    outcome: { status: HookOutcome['status']; durationMs: number | null; error: string | null },
  ): Promise<void>
}

export type Approvals = {
  approveUrl(escalationId: string): string
  /** Selects escalations that the user of a client may answer there. */
  answerableInClient(orgId: string, escalationIds: readonly string[]): Promise<ReadonlySet<string>>
}
