import { createBatcher } from '../../../kernel/batcher.ts'
import { type Db, isDatabaseDown, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import type { FirstSeen } from './first-seen-service.ts'
import type { JudgedCall } from './judged-call.ts'
import type { Agents, Orgs } from './ports.ts'
import { createEvaluationStore, type Sighting } from './store.ts'
import { storedEvaluation } from './stored-evaluation.ts'
import { sameViolation, TOLD_AGAIN_MS, violationEvent, violationOf } from './violation-event.ts'

export type RecordingDeps = {
  db: Db
  events: Events
  agents: Agents
  orgs: Orgs
  /** This many evaluations are lost, although their verdicts were answered. */
  onRecordingFailed(err: unknown, evaluations: number): void
}

/** A call that was judged while it waited for the verdict. */
export type LiveCall = {
  judged: JudgedCall
  evaluationId: string
  sessionId: string | null
  /** Tools that are new with the agent, as far as was known. */
  sightings: readonly Sighting[]
}

/** Evaluations that a caller waits for are written within this time, all others within the longer one. */
const AWAITED_MS = 2
const UNAWAITED_MS = 50
const BATCH_MAX = 500

export type Recording = ReturnType<typeof createRecording>

/** Writes live evaluations in batches, with the violations and sightings that follow from them. */
export function createRecording(deps: RecordingDeps, firstSeen: FirstSeen) {
  const insert = (db: Db, calls: readonly LiveCall[]): Promise<ReadonlySet<string>> => {
    const stored = calls.map(({ judged, evaluationId }) =>
      storedEvaluation(judged, { evaluationId, traceId: null }),
    )
    return createEvaluationStore(db).insertAll(stored, deps.agents.keeping)
  }

  const write = async (calls: readonly LiveCall[]): Promise<void> => {
    // Most batches have no consequences: a single statement needs no transaction.
    if (!calls.some(hasConsequences)) {
      await insert(deps.db, calls)
      return
    }
    const made = await transact(deps.db, async (tx) => {
      const there = await insert(tx, calls)
      const kept = calls.filter(({ judged }) => there.has(judged.agentId))
      await tellViolations(deps, tx, kept)
      const sightings = earliestOf(kept.flatMap((call) => call.sightings))
      return sightings.length === 0 ? [] : createEvaluationStore(tx).insertSightings(sightings)
    })
    firstSeen.note(made)
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
      // Reported by onFailure; without a handler a rejection that nobody awaits ends the process.
      written.catch(() => undefined)
      return () => written
    },
    stop: batcher.stop,
  }
}

function hasConsequences({ judged, sightings }: LiveCall): boolean {
  return judged.evaluation.verdict === 'fail' || sightings.length > 0
}

/** Each pair of agent and tool once; what was asked first comes first. */
function earliestOf(sightings: readonly Sighting[]): Sighting[] {
  const byPair = new Map<string, Sighting>()
  for (const one of sightings) {
    const key = `${one.agentId} ${one.tool}`
    const other = byPair.get(key)
    if (other === undefined || one.at < other.at) byPair.set(key, one)
  }
  return [...byPair.values()]
}

async function tellViolations(
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
  const due = await createEvaluationStore(tx).markTold(violations, TOLD_AGAIN_MS)
  const told = distinct.filter(({ violation }) => due.some((one) => sameViolation(one, violation)))
  const accounts = new Map<string, string | undefined>()
  for (const orgId of new Set(told.map(({ judged }) => judged.orgId))) {
    accounts.set(orgId, await deps.orgs.accountOf(tx, orgId))
  }
  const events = told.flatMap(({ judged, sessionId }): NewEvent[] => {
    const { orgId } = judged
    const accountId = accounts.get(orgId)
    // A deleted organisation hears nothing any more.
    return accountId === undefined
      ? []
      : [{ orgId, accountId, ...violationEvent(judged, sessionId) }]
  })
  await deps.events.emitAll(tx, events)
}
