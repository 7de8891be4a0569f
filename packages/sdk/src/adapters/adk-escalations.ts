/** The parts of the types of `@google/adk` 2 that the adapter uses. */
export type ToolContext = {
  functionCallId?: string
  toolConfirmation?: { confirmed: boolean }
  abortSignal?: AbortSignal
  actions: { requestedToolConfirmations: Readonly<Record<string, unknown>> }
  state: State
  invocationContext: { session: { id: string; events: readonly Event[] } }
  requestConfirmation(request: { hint?: string; payload?: unknown }): void
}

type State = { get(key: string): unknown; set(key: string, value: unknown): void }
type Event = { content?: { role?: string; parts?: readonly Part[] } }
type Part = { text?: string; functionCall?: { id?: string } }

/** The state of the session, because a run can be resumed by another process. */
const KEY = 'touchstone_escalations'

/** The escalations of the calls of a session that wait for an answer, by the id of the call. */
export function escalationsIn({ state }: { state: State }) {
  const all = (): Record<string, unknown> => Object(state.get(KEY))
  return {
    has: (callId: string | undefined) => callId !== undefined && Object.hasOwn(all(), callId),
    set: (callId: string, escalationId: string) =>
      state.set(KEY, { ...all(), [callId]: escalationId }),
    /** Returns the escalation and forgets it. */
    take(callId: string | undefined): string | undefined {
      if (callId === undefined || !Object.hasOwn(all(), callId)) return undefined
      const { [callId]: escalationId, ...others } = all()
      state.set(KEY, others)
      return typeof escalationId === 'string' ? escalationId : undefined
    },
  }
}
