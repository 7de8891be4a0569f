import { createBatcher } from '../../../kernel/batcher.ts'
import { MINUTE_MS } from '../../../kernel/clock.ts'
import { isDatabaseDown } from '../../../kernel/db.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Deferred } from './deferred-service.ts'
import { type Evidence, isDue, joinEvidence, textsOf } from './evidence.ts'
import type { Checkpoints, IngestOutcome, Org, Submission } from './ports.ts'
import { type Recorded, sourceOf, submissionOf } from './submission-service.ts'

/** Sessions whose short turns are gathered at the same time; above it the oldest is recorded. */
const SESSIONS_MAX = 10_000

/** Checkpoints of the turns that end within this time are stored together, which costs half as much. */
const BATCH_AGE_MS = 100
const BATCH_MAX = 50

export type RecordDeps = {
  checkpoints: Pick<Checkpoints, 'ingestAll'>
  /** spec: provenance §2; shorter in tests. */
  gatherMs?: number
  deferred: Deferred
}

type Turn = Recorded & { org: Org }
type Due = { turn: Turn; submission: Submission }
type Gathered = { turn: Turn; evidence: Evidence; timer: NodeJS.Timeout }

export type RecordService = ReturnType<typeof createRecorder>

/** Turns the evidence of turns into checkpoints, off the request (spec: model-gateway §3.5). */
export function createRecorder(deps: RecordDeps) {
  const { checkpoints, gatherMs = MINUTE_MS, deferred } = deps
  const gathered = new Map<string, Gathered>()

  const due = createBatcher<Due, IngestOutcome>({
    async run(batch) {
      const [first] = batch
      if (first === undefined) return []
      const { org, connection } = first.turn
      const given = batch.map(({ submission }) => submission)
      const sender = { ...org, sentBy: connection.connectionId }
      return checkpoints.ingestAll(sender, { given, source: sourceOf(connection) })
    },
    itemsMax: BATCH_MAX,
    ageMsMax: BATCH_AGE_MS,
    groupOf: ({ turn }) => turn.connection.connectionId,
    // An analysis may take seconds; the ledger commits the batches of different connections together.
    concurrency: Number.POSITIVE_INFINITY,
    waitingMax: Number.POSITIVE_INFINITY,
    failTogether: isDatabaseDown,
  })

  /** Only the first attempt waits for others. */
  const storeOf = (item: Due) => {
    let ageMsMax = BATCH_AGE_MS
    return async (): Promise<void> => {
      const stored = due.add(item, { ageMsMax })
      ageMsMax = 0
      const outcome = await stored
      if (!outcome.ok) throw outcome.problem
    }
  }

  const send = (turn: Turn, evidence: Evidence): string | undefined => {
    const texts = textsOf(evidence)
    if (texts.thinking === '' && texts.output === '') return undefined
    const checkpointId = newId('ic')
    const submission = submissionOf(turn, evidence, checkpointId)
    void deferred.run(storeOf({ turn, submission }))
    return checkpointId
  }

  const flush = (key: string): string | undefined => {
    const found = gathered.get(key)
    if (found === undefined) return undefined
    gathered.delete(key)
    clearTimeout(found.timer)
    return send(found.turn, found.evidence)
  }

  return {
    /** Returns the id of the checkpoint, unless the turn is gathered with later ones. */
    record(turn: Turn, evidence: Evidence): string | undefined {
      const key = `${turn.agentId} ${turn.sessionId} ${turn.connection.connectionId}`
      const earlier = gathered.get(key)
      const all = earlier === undefined ? evidence : joinEvidence(earlier.evidence, evidence)
      if (isDue(all)) {
        gathered.delete(key)
        clearTimeout(earlier?.timer)
        return send(turn, all)
      }
      const timer = earlier?.timer ?? setTimeout(() => flush(key), gatherMs)
      gathered.set(key, { turn, evidence: all, timer })
      const [oldest] = gathered.keys()
      if (gathered.size > SESSIONS_MAX && oldest !== undefined) flush(oldest)
      return undefined
    },

    /** Records everything gathered, before the process stops. */
    flushAll(): void {
      for (const key of [...gathered.keys()]) flush(key)
      due.flush()
    },
  }
}
