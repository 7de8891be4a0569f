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
  /** Undefined on wires whose calls have no id; made up by some clients of such a wire. */
  callId: string | undefined
  /** Only on wires whose calls may have no id. */
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
      const tools = [...new Set(recent.flatMap(({ tool }) => tool ?? []))]
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

/**
 * Results without an id, or with one that no decision has, belong to calls of their tool. The newest
 * go first, because a client sends the results of earlier calls again with every request.
 */
function reportsOf(results: readonly CallResult[], known: readonly KnownDecision[]): Report[] {
  const ids = new Set(known.map(({ decision }) => decision.callId))
  const open = new Map(
    known
      .filter(({ outcome }) => outcome === null)
      .map(({ decision }) => [decision.decisionId, decision] as const)
      .sort(([a], [b]) => (a < b ? 1 : -1)),
  )
  const isNamed = ({ callId }: CallResult) => callId !== undefined && ids.has(callId)
  const newestFirst = results.toReversed()
  const inTurn = [...newestFirst.filter(isNamed), ...newestFirst.filter((one) => !isNamed(one))]
  return inTurn.flatMap((result) => {
    const found = [...open.values()].find((decision) =>
      isNamed(result) ? decision.callId === result.callId : decision.tool === result.tool,
    )
    if (found === undefined) return []
    const { decisionId } = found
    open.delete(decisionId)
    const status = result.isFailed ? ('failed' as const) : ('executed' as const)
    return [{ decisionId, status, durationMs: null, error: null, resultHash: null }]
  })
}
