import type { ToolResult } from '@touchstone/protocol/model-wire'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import { isCallId, toolOf } from './call.ts'
import type { Org, Outcomes } from './ports.ts'

/** Calls whose outcome was read already; clients send the whole history with every request. */
const READ_MAX = 100_000

export type OutcomeReader = ReturnType<typeof createOutcomeReader>

/** Reports what became of calls, as the results in a request say (spec: model-gateway §3.2). */
export function createOutcomeReader(deps: {
  clock: Clock
  outcomes: Outcomes
  onError(err: unknown): void
}) {
  const read = createCache<true>({ clock: deps.clock, entriesMax: READ_MAX, ttlMs: HOUR_MS })
  return {
    /** Never rejects: a request is not refused because the results in it could not be stored. */
    async report(
      org: Org,
      session: { agentId: string; sessionId: string; connectionId: string },
      results: readonly ToolResult[],
    ): Promise<void> {
      const keys = keysOf(session, results)
      const isFresh = (_: unknown, at: number) => {
        const key = keys[at]
        return key === undefined || read.get(key) === undefined
      }
      const fresh = results.filter(isFresh)
      if (fresh.length === 0) return
      const reported = fresh.map(asDecided)
      try {
        await deps.outcomes.report(org, session, reported)
      } catch (err) {
        deps.onError(err)
        return
      }
      for (const key of keys) if (key !== undefined) read.set(key, true)
    },
  }
}

/** Ids and names in the form that decisions have, so that none of them fails the query for all. */
function asDecided({ callId, name, isFailed }: ToolResult) {
  return {
    callId: callId !== undefined && isCallId(callId) ? callId : undefined,
    tool: name === undefined ? undefined : toolOf(name),
    isFailed,
  }
}

/** Some servers repeat an id in later turns, so a result is known by its id and how often it came before. */
function keysOf(
  { agentId, sessionId }: { agentId: string; sessionId: string },
  results: readonly ToolResult[],
): (string | undefined)[] {
  const counts = new Map<string, number>()
  return results.map(({ callId }) => {
    if (callId === undefined) return undefined
    const count = (counts.get(callId) ?? 0) + 1
    counts.set(callId, count)
    return `${agentId} ${sessionId} ${count} ${callId}`
  })
}
