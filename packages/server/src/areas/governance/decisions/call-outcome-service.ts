import { type Clock, HOUR_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Outcomes, Report } from './outcome-service.ts'
import { createRecordStore, type KnownDecision } from './record-store.ts'

/** spec: decisions §3: an outcome is accepted for this long after the decision. */
const REPORT_MS_MAX = 24 * HOUR_MS
/** Calls whose outcome one statement looks up. */
const CALLS_MAX = 200

/** The result of a call as a model provider was sent it. */
export type CallResult = {
  /** Undefined on wires whose calls have no id. */
  callId: string | undefined
  tool: string | undefined
  isFailed: boolean
}

/** Stores outcomes that the model gateway reads in the results which an agent sends to its model. */
export function createCallOutcomes({ db, clock }: { db: Db; clock: Clock }, outcomes: Outcomes) {
  return {
    /**
     * Only decisions of this session that the model gateway made count. A result of a call that was
     * refused is a bypass; a call without an id is recognised only if it was let through.
     */
    async report(
      org: { orgId: string; accountId: string },
      session: { agentId: string; sessionId: string; connectionId: string },
      results: readonly CallResult[],
    ): Promise<void> {
      const { agentId, sessionId, connectionId } = session
      const recent = results.slice(-CALLS_MAX)
      const callIds = recent.flatMap(({ callId }) => callId ?? [])
      const tools = recent.flatMap(({ callId, tool }) =>
        callId === undefined && tool !== undefined ? [tool] : [],
      )
      if (callIds.length + tools.length === 0) return
      const since = later(clock.now(), -REPORT_MS_MAX)
      const known = await createRecordStore(db).findOfCalls(
        { orgId: org.orgId, agentId, sessionId, since },
        { callIds, tools },
      )
      const reports = reportsOf(recent, known)
      if (reports.length === 0) return
      await outcomes.report(org, { id: connectionId, agentId }, reports)
    },
  }
}

function reportsOf(results: readonly CallResult[], known: readonly KnownDecision[]): Report[] {
  const open = known.filter(({ outcome }) => outcome === null).map(({ decision }) => decision)
  const used = new Set<string>()
  return results.flatMap(({ callId, tool, isFailed }) => {
    const found = open.find(
      (decision) =>
        !used.has(decision.decisionId) &&
        (callId === undefined ? decision.tool === tool : decision.callId === callId),
    )
    if (found === undefined) return []
    used.add(found.decisionId)
    const status = isFailed ? ('failed' as const) : ('executed' as const)
    const { decisionId } = found
    return [{ decisionId, status, durationMs: null, error: null, resultHash: null }]
  })
}
