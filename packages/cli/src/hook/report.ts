import type { HookClient, HookEvent } from '@touchstone/sdk/hooks'
import type { Journal, ReportedOutcome, SessionState } from './journal.ts'
import { type HookAccess, send } from './post.ts'

export type ReportTarget = {
  access: HookAccess
  agentId: string | undefined
  client: HookClient
  timeoutMs: number
}

const OUTCOMES_MAX = 100
const RECORDS_MAX = 50

/** Reports outcomes; those that did not arrive are reported again at the end of the turn. */
export async function reportOutcomes(
  target: ReportTarget,
  journal: Journal,
  outcomes: readonly ReportedOutcome[],
): Promise<void> {
  for (let at = 0; at < outcomes.length; at += OUTCOMES_MAX) {
    const batch = outcomes.slice(at, at + OUTCOMES_MAX)
    if (!(await post(target, '/v1/decisions/outcomes', { outcomes: batch }))) return
    journal.noteReported(batch.map(({ decision_id: id }) => id))
  }
}

/** Sends the evidence of the session, if there is enough of it or the turn is over. */
export async function reportEvidence(
  target: ReportTarget,
  journal: Journal,
  event: HookEvent,
): Promise<void> {
  const state = journal.state()
  const { session } = event
  const isOver = event.event === 'stop' || event.event === 'session_end'
  // A call that still runs waits for its outcome.
  const calls = isOver ? state.calls : state.calls.filter(isSettled)
  if (session === undefined || calls.length === 0) return
  const { sessionEvidence } = await import('@touchstone/sdk/hooks/session-evidence')
  const { thinking, read } = await thinkingOf(target.client, event, state)
  const evidence = sessionEvidence({
    agentId: target.agentId,
    sessionId: session,
    calls,
    thinking,
    isOver,
    nowMs: Date.now(),
  })
  if (evidence === undefined) return
  // Traces first: a checkpoint refers to its trace.
  const sent =
    (await postAll(target, '/v1/traces/batch', 'traces', evidence.traces)) &&
    (await postAll(target, '/v1/checkpoints/batch', 'checkpoints', evidence.checkpoints))
  if (!sent) return
  const traceIds = calls.map(({ trace_id: id }) => id)
  journal.noteSent(traceIds, state.thoughts, read)
}

function isSettled({ decision, outcome }: SessionState['calls'][number]): boolean {
  return outcome !== undefined || decision === 'block' || decision === 'escalate'
}

async function thinkingOf(client: HookClient, event: HookEvent, state: SessionState) {
  const { hasTranscript, thinkingIn } = await import('@touchstone/sdk/hooks/thinking')
  if (!hasTranscript(client)) return { thinking: state.thinking, read: undefined }
  const { readTranscript } = await import('@touchstone/sdk/hooks/read-transcript')
  const { lines, read } = readTranscript(event.transcript, state.position)
  return { thinking: [...state.thinking, ...thinkingIn(client, lines)], read }
}

async function postAll(
  target: ReportTarget,
  path: string,
  name: string,
  records: readonly unknown[],
): Promise<boolean> {
  for (let at = 0; at < records.length; at += RECORDS_MAX) {
    const batch = records.slice(at, at + RECORDS_MAX)
    if (!(await post(target, path, { [name]: batch }))) return false
  }
  return true
}

/** Whether the service has it. A report never disturbs the client, so a failure is not an error. */
async function post(target: ReportTarget, path: string, body: unknown): Promise<boolean> {
  const { access, client, timeoutMs } = target
  const answer = await send(access, { method: 'POST', path, body, timeoutMs, client }).catch(
    () => undefined,
  )
  return answer !== undefined && answer.status >= 200 && answer.status < 300
}
