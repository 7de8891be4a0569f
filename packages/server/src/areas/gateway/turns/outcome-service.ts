import type { ToolResult } from '@touchstone/protocol/model-wire'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
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
      const keyOf = (callId: string) => `${session.agentId} ${session.sessionId} ${callId}`
      const fresh = results.filter(
        ({ callId }) => callId === undefined || read.get(keyOf(callId)) === undefined,
      )
      if (fresh.length === 0) return
      const reported = fresh.map(({ callId, name: tool, isFailed }) => ({ callId, tool, isFailed }))
      try {
        await deps.outcomes.report(org, session, reported)
      } catch (err) {
        deps.onError(err)
        return
      }
      for (const { callId } of fresh) if (callId !== undefined) read.set(keyOf(callId), true)
    },
  }
}
