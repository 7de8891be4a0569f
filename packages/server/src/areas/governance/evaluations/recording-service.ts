import { createBatcher } from '../../../kernel/batcher.ts'
import { type Db, isDatabaseDown, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import type { FirstSeen } from './first-seen-service.ts'
import type { JudgedCall } from './judged-call.ts'
import type { Agents, Orgs } from './ports.ts'
import { createEvaluationStore, type Sighting } from './store.ts'
import { toStoredEvaluation } from './stored-evaluation.ts'
import {
  sameViolation,
  VIOLATION_EVENT_INTERVAL_MS,
  violationEvent,
  violationOf,
} from './violation-event.ts'

export type RecordingDeps = {
  db: Db
  events: Events
  agents: Agents
  orgs: Orgs
  /** Reports evaluations that are lost although their verdicts may have been returned. */
  onRecordingFailed(err: unknown, evaluations: number): void
}

/** A call that was evaluated before it was made. */
export type LiveCall = {
  judged: JudgedCall
  /** Absent for a decision, whose own record holds the result. */
  evaluationId?: string
  sessionId: string | null
  /** Tools that had no recorded sighting when the call was prepared. */
  sightings: readonly Sighting[]
}

/** Longest time in the queue of an evaluation that a caller awaits, and of any other. */
const AWAITED_MS = 2
const UNAWAITED_MS = 50
const BATCH_MAX = 500

/** Writes live evaluations in batches, with the violations and sightings that follow from them. */
export function createRecording(deps: RecordingDeps, firstSeen: FirstSeen) {
  const insert = async (db: Db, calls: readonly LiveCall[]): Promise<ReadonlySet<string>> => {
    const stored = calls.flatMap(({ judged, evaluationId }) =>
      evaluationId === undefined
        ? []
        : [toStoredEvaluation(judged, { evaluationId, traceId: null })],
    )
    const agentIds = [...new Set(calls.map(({ judged }) => judged.agentId))]
    return createEvaluationStore(db).insertAll(stored, deps.agents.selectExisting, agentIds)
  }

  const write = async (calls: readonly LiveCall[]): Promise<void> => {
    // Most batches need no violation event and no sighting: one statement needs no transaction.
    if (!calls.some(hasConsequences)) {
      await insert(deps.db, calls)
      return
    }
    const inserted = await transact(deps.db, async (tx) => {
      const existing = await insert(tx, calls)
      const kept = calls.filter(({ judged }) => existing.has(judged.agentId))
      await emitViolations(deps, tx, kept)
      const sightings = earliestOf(kept.flatMap((call) => call.sightings))
      return sightings.length === 0 ? [] : createEvaluationStore(tx).insertSightings(sightings)
    })
    firstSeen.remember(inserted)
  }
  const batcher = createBatcher<LiveCall, undefined>({
    async run(calls) {
      await write(calls)
      return calls.map(() => undefined)
    },
    itemsMax: BATCH_MAX,
    ageMsMax: UNAWAITED_MS,
    concurrency: 2,
    failTogether: isDatabaseDown,
    onFailure: (err, calls) => deps.onRecordingFailed(err, calls.length),
  })
  return {
    /** Returns a function for callers that wait until the evaluation is committed. */
    record(call: LiveCall, { isAwaited }: { isAwaited: boolean }): () => Promise<void> {
      const written = batcher.add(call, { ageMsMax: isAwaited ? AWAITED_MS : UNAWAITED_MS })
      // onFailure reports it; an unhandled rejection would end the process.
      written.catch(() => undefined)
      return () => written
    },
    stop: batcher.stop,
  }
}

/** Whether a violation event or a first sighting follows from the evaluation. */
export function hasConsequences({ judged, sightings }: LiveCall): boolean {
  return judged.evaluation.verdict === 'fail' || sightings.length > 0
}

/** The earliest sighting of each pair of agent and tool. */
function earliestOf(sightings: readonly Sighting[]): Sighting[] {
  const byPair = new Map<string, Sighting>()
  for (const one of sightings) {
    const key = `${one.agentId} ${one.tool}`
    const other = byPair.get(key)
    if (other === undefined || one.at < other.at) byPair.set(key, one)
  }
  return [...byPair.values()]
}

async function emitViolations(
  deps: RecordingDeps,
  tx: Db,
  calls: readonly LiveCall[],
): Promise<void> {
  const failed = calls
    .filter(({ judged }) => judged.evaluation.verdict === 'fail')
    .map((call) => ({ ...call, violation: violationOf(call.judged) }))
  const distinct = failed.filter(
    ({ violation }, place) =>
      failed.findIndex((other) => sameViolation(other.violation, violation)) === place,
  )
  if (distinct.length === 0) return
  const violations = distinct.map(({ violation }) => violation)
  const due = await createEvaluationStore(tx).claimViolationEvents(
    violations,
    VIOLATION_EVENT_INTERVAL_MS,
  )
  const claimed = distinct.filter(({ violation }) =>
    due.some((one) => sameViolation(one, violation)),
  )
  const accounts = new Map<string, string | undefined>()
  for (const orgId of new Set(claimed.map(({ judged }) => judged.orgId))) {
    accounts.set(orgId, await deps.orgs.accountOf(tx, orgId))
  }
  const events = claimed.flatMap(({ judged, sessionId }): NewEvent[] => {
    const { orgId } = judged
    const accountId = accounts.get(orgId)
    // A deleted organisation has no account to send events to.
    return accountId === undefined
      ? []
      : [{ orgId, accountId, ...violationEvent(judged, sessionId) }]
  })
  await deps.events.emitAll(tx, events)
}
