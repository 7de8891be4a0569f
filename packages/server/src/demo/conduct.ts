import { randomUUID } from 'node:crypto'
import type { Client, Step } from './client.ts'
import type { Session, Task } from './sessions.ts'
import { actionsOf, thinkingOf, traceOf } from './words.ts'

/** Sessions per batch: each has six tasks, and a batch takes fifty. */
const SESSIONS_MAX = 8

/** The sessions of a day are sent a few at a time, at the end of the last one. */
export function conductSteps(sessions: readonly Session[]): Step[] {
  const groups: Session[][] = []
  for (const session of sessions.toSorted((one, other) => timeOf(one) - timeOf(other))) {
    const open = groups.at(-1) ?? []
    const isSameDay = open.some((other) => dayOf(other) === dayOf(session))
    if (isSameDay && open.length < SESSIONS_MAX) open.push(session)
    else groups.push([session])
  }
  return groups.map((group) => ({
    at: group.at(-1)?.end ?? new Date(0),
    run: (client) => send(client, group),
  }))
}

function timeOf({ end }: Session): number {
  return end.getTime()
}

function dayOf({ end }: Session): string {
  return end.toISOString().slice(0, 10)
}

/** Sends traces first, then the checkpoints that refer to them. */
async function send({ call }: Client, sessions: readonly Session[]): Promise<void> {
  const all = sessions.flatMap((session) =>
    session.tasks.map((task) => ({
      session,
      task,
      traceId: task.traced ? `${session.part.id}-t${task.number}` : undefined,
    })),
  )
  const traces = all.flatMap(({ session, task, traceId }) => {
    const { part, sessionId } = session
    return traceId === undefined ? [] : [traceOf(part, task, { traceId, sessionId })]
  })
  if (traces.length > 0) assertAll(await call('POST', '/v1/traces/batch', { traces }))
  const checkpoints = all.map(checkpointOf)
  assertAll(await call('POST', '/v1/checkpoints/batch', { checkpoints }))
}

type Reported = { session: Session; task: Task; traceId: string | undefined }

function checkpointOf({ session, task, traceId }: Reported): object {
  const { part, sessionId } = session
  return {
    agent_id: part.id,
    checkpoint_id: `ic-${randomUUID()}`,
    session_id: sessionId,
    timestamp: task.at.toISOString(),
    provider: part.provider,
    model: part.model,
    thinking: thinkingOf(part, task),
    actions: actionsOf(part, task),
    task_context: 'Demo data',
    ...(traceId === undefined ? {} : { trace_id: traceId }),
  }
}

/** Throws if any item of a batch was refused. */
function assertAll({ results }: { results: readonly object[] }): void {
  const refused = results.find((one) => 'error' in one)
  if (refused !== undefined) throw new Error(`refused: ${JSON.stringify(refused)}`)
}
