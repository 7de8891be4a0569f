import { type Clock, HOUR_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Outcomes, Report } from './outcome-service.ts'
import { createRecordStore, type KnownDecision } from './record-store.ts'

/** spec: decisions §3: an outcome is accepted for this long after the decision. */
const REPORT_MS_MAX = 24 * HOUR_MS
/**
 * The newest results of a request that are looked up. A turn may have a thousand calls, and an agent must
 * not hide the result of a refused call behind made-up ones, of which this many fill most models' context.
 */
const CALLS_MAX = 5000
/** Outcomes that are stored in one transaction. */
const BATCH_MAX = 200

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
      for (let at = 0; at < reports.length; at += BATCH_MAX) {
        const batch = reports.slice(at, at + BATCH_MAX)
        await outcomes.report(org, { id: connectionId, agentId }, batch)
      }
    },
  }
}

/**
 * Results without an id, or with one that no decision has, belong to calls of their tool. The newest
 * go first, because a client sends the results of earlier calls again with every request.
 */
function reportsOf(results: readonly CallResult[], known: readonly KnownDecision[]): Report[] {
  const ids = new Set(known.map(({ decision }) => decision.callId))
  const takeOpen = createOpen(known)
  const isNamed = ({ callId }: CallResult) => callId !== undefined && ids.has(callId)
  const newestFirst = results.toReversed()
  const inTurn = [...newestFirst.filter(isNamed), ...newestFirst.filter((one) => !isNamed(one))]
  return inTurn.flatMap((result) => {
    const { callId, tool, isFailed } = result
    const decisionId = takeOpen(isNamed(result) ? `call ${callId}` : `tool ${tool}`)
    if (decisionId === undefined) return []
    const status = isFailed ? ('failed' as const) : ('executed' as const)
    return [{ decisionId, status, durationMs: null, error: null, resultHash: null }]
  })
}

/**
 * Returns a function that finds the newest decision without an outcome by `call {id}` or `tool {name}`,
 * each decision only once.
 */
function createOpen(known: readonly KnownDecision[]): (key: string) => string | undefined {
  const ids = new Map<string, string[]>()
  const open = known.flatMap(({ decision, outcome }) => (outcome === null ? [decision] : []))
  open.sort((a, b) => (a.decisionId < b.decisionId ? -1 : 1))
  for (const { decisionId, callId, tool } of open) {
    for (const key of [`call ${callId}`, `tool ${tool}`]) {
      const same = ids.get(key)
      if (same === undefined) ids.set(key, [decisionId])
      else same.push(decisionId)
    }
  }
  const taken = new Set<string>()
  return (key) => {
    const same = ids.get(key) ?? []
    for (let id = same.pop(); id !== undefined; id = same.pop()) {
      if (taken.has(id)) continue
      taken.add(id)
      return id
    }
    return undefined
  }
}
