import { MINUTE_MS } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Deferred } from './deferred-service.ts'
import { type Evidence, isDue, joinEvidence, textsOf } from './evidence.ts'
import type { Checkpoints, Org } from './ports.ts'
import { type Recorded, sourceOf, submissionOf } from './submission-service.ts'

/** Sessions whose short turns are gathered at the same time; above it the oldest is recorded. */
const SESSIONS_MAX = 10_000

export type RecordDeps = {
  checkpoints: Pick<Checkpoints, 'ingest'>
  /** spec: provenance §2; shorter in tests. */
  gatherMs?: number
  deferred: Deferred
}

type Turn = Recorded & { org: Org }
type Gathered = { turn: Turn; evidence: Evidence; timer: NodeJS.Timeout }

export type RecordService = ReturnType<typeof createRecorder>

/** Turns the evidence of turns into checkpoints, off the request (spec: model-gateway §3.5). */
export function createRecorder({ checkpoints, gatherMs = MINUTE_MS, deferred }: RecordDeps) {
  const gathered = new Map<string, Gathered>()

  const send = (turn: Turn, evidence: Evidence): string | undefined => {
    const texts = textsOf(evidence)
    if (texts.thinking === '' && texts.output === '') return undefined
    const checkpointId = newId('ic')
    const sender = { ...turn.org, sentBy: turn.connection.connectionId }
    const submission = submissionOf(turn, evidence, checkpointId)
    const source = sourceOf(turn.connection)
    void deferred.run(() => checkpoints.ingest(sender, submission, source))
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
    },
  }
}
