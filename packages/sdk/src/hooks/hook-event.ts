/** A tool call as a coding agent describes it to its hook, in the words of all clients. */
export type HookCall = {
  /** Tools with the same purpose have one name in all clients (ADR 0049). */
  tool: string
  arguments: Readonly<Record<string, unknown>> | undefined
  /** The client's own id of the call; undefined for clients that give none. */
  call_id: string | undefined
}

/** The result of a call, as a client reports it afterwards. */
export type HookOutcome = {
  status: 'executed' | 'failed'
  duration_ms: number | undefined
  error: string | undefined
  /** The result as the client gives it; undefined if it gives none. */
  result: unknown
}

type Common = {
  /** The name of the client's own event, which some answers must repeat. */
  name: string
  session: string | undefined
  /** The file in which the client writes its session. */
  transcript: string | undefined
}

export type HookEvent = Common &
  (
    | ({ event: 'pre_tool' } & HookCall)
    | ({ event: 'post_tool'; outcome: HookOutcome } & HookCall)
    /** The model's reasoning, from clients that send it as an event. */
    | { event: 'thinking'; thinking: string }
    /** The agent has finished its turn. */
    | { event: 'stop' }
    | { event: 'session_end' }
    /** An event that needs no decision and no report. */
    | { event: 'other' }
  )

/** The decision about a call, as the hook learned it. */
export type HookDecision = {
  decision: 'allow' | 'warn' | 'escalate' | 'block'
  /** Messages of the reasons, in order. */
  reasons: readonly string[]
  /** Messages of the service for the agent. */
  notices: readonly string[]
  /** False for keys of mode observe: a refusal is only a notice. */
  enforced: boolean
  /** The page where a person can approve the call; undefined unless it is escalated. */
  approve_url: string | undefined
  /** The policy lets the user of the client answer there (`approval.local`). */
  local: boolean
}

/** There is no decision: the service did not give one, or the input cannot be read. */
export type HookFailure = { decision: 'none'; message: string; on_error: 'allow' | 'block' }

/** The output of a hook program. Over HTTP, only `stdout` is sent, as the body. */
export type HookOutput = { stdout?: string; stderr?: string; exit?: number }

/** The facts that an answer depends on besides the decision; unreadable input has no event. */
export type AnsweredEvent = Pick<HookEvent, 'event' | 'name'>

/** The contract of one client, as pure functions. */
export type HookDialect = {
  /** Returns undefined if the input is none of the client's events. */
  read(json: unknown): HookEvent | undefined
  /** `event` is undefined if the input could not be read; it may have been a call. */
  answer(event: AnsweredEvent | undefined, decision: HookDecision | HookFailure): HookOutput
}
