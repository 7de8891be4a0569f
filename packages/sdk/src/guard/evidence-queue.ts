import { ApiError } from '../api-error.ts'
import type { Client } from '../client.ts'
import type { Evidence } from './evidence.ts'

export type LostEvidence = { evidence: Evidence; reason: string }

export type QueueOptions = {
  client: Client
  /** Capacity: how many records may wait while the service cannot be reached. */
  max: number
  /** Fills in details of a record just before it is sent. */
  complete(evidence: Evidence): Promise<Evidence>
  /** Called for a record that the service rejected, or that a full queue evicted. */
  onLost(lost: LostEvidence): void
  /** Called with the error each time a batch could not be sent; it is retried. */
  onDelayed(error: unknown): void
}

export type EvidenceQueue = {
  isFull(): boolean
  /** How many records wait. */
  size(): number
  /** If the queue is full, evicts the oldest record and reports it as lost. */
  add(evidence: Evidence): void
  /** Sends the waiting records; throws if any could not be sent. */
  flush(): Promise<void>
}

/** Largest batch of checkpoints (spec: interface, Limits); traces allow larger ones. */
const BATCH_MAX = 50
/** A batch is sent once calls have paused for this long, so that it does not slow them down. */
const QUIET_MS = 200
/** Age and number of waiting records at which a batch is sent without waiting for a pause. */
const AGE_MS_MAX = 2_000
const WAITING_MAX = 500
/** Timeout of one batch, after which it is retried. */
const SEND_TIMEOUT_MS = 30_000
const BACKOFF_MS_FIRST = 1_000
const BACKOFF_MS_MAX = 60_000

/**
 * Sends evidence in order, in batches, and retries with backoff until the service has it. Retries are
 * idempotent, because each record has a fixed id.
 */
export function createEvidenceQueue(options: QueueOptions): EvidenceQueue {
  const { max, onLost, onDelayed } = options
  let waiting: Evidence[] = []
  let sending: Promise<void> | undefined
  const timer = createFlushTimer(() => void startSending().catch(() => undefined))
  let backoffMs = BACKOFF_MS_FIRST

  const reported = new WeakSet<Evidence>()

  /** Reports once, even if trace and checkpoint are both rejected, or again when a batch is retried. */
  const reportLost = (evidence: Evidence, reason: string) => {
    if (reported.has(evidence)) return
    reported.add(evidence)
    onLost({ evidence, reason })
  }

  /** Sends the records that wait now; later ones wait for their own pause. */
  async function sendWaiting(): Promise<void> {
    for (let left = waiting.length; left > 0; left -= BATCH_MAX) {
      const batch = waiting.slice(0, Math.min(BATCH_MAX, left))
      await sendBatch(options, batch, reportLost)
      // add() may have evicted some of them in the meantime.
      const sent = new Set(batch)
      waiting = waiting.filter((evidence) => !sent.has(evidence))
      backoffMs = BACKOFF_MS_FIRST
    }
  }

  function startSending(): Promise<void> {
    timer.stop()
    sending ??= sendWaiting().then(onSent, onFailed)
    return sending
  }

  function onSent(): void {
    sending = undefined
    if (waiting.length > 0) timer.schedule(waiting.length >= WAITING_MAX)
  }

  function onFailed(error: unknown): never {
    sending = undefined
    onDelayed(error)
    timer.backOff(backoffMs)
    backoffMs = Math.min(BACKOFF_MS_MAX, backoffMs * 2)
    throw error
  }

  return {
    isFull: () => waiting.length >= max,
    size: () => waiting.length,
    add(evidence) {
      if (waiting.length >= max) {
        const [oldest, ...rest] = waiting
        waiting = rest
        if (oldest !== undefined) reportLost(oldest, 'The evidence queue was full.')
      }
      waiting.push(evidence)
      if (sending === undefined) timer.schedule(waiting.length >= WAITING_MAX)
    },
    async flush() {
      await sending?.catch(() => undefined)
      await startSending()
    },
  }
}

/** Schedules the next flush: when calls pause, or after a backoff that new records do not cut short. */
function createFlushTimer(send: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBackingOff = false
  let waitingSinceMs: number | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    isBackingOff = false
    waitingSinceMs = undefined
  }
  return {
    stop,
    schedule(isDue: boolean): void {
      if (isBackingOff) return
      const nowMs = Date.now()
      waitingSinceMs ??= nowMs
      const leftMs = isDue ? 0 : waitingSinceMs + AGE_MS_MAX - nowMs
      clearTimeout(timer)
      timer = setTimeout(send, Math.max(0, Math.min(QUIET_MS, leftMs)))
    },
    backOff(delayMs: number): void {
      stop()
      isBackingOff = true
      timer = setTimeout(send, delayMs)
      // Does not keep the process alive: a program calls flush() before it ends.
      if (typeof timer === 'object') timer.unref()
    },
  }
}

type ReportLost = (evidence: Evidence, reason: string) => void

/** Sends traces first: a checkpoint refers to its trace and takes the kind of a violation from it. */
async function sendBatch(
  options: Pick<QueueOptions, 'client' | 'complete'>,
  batch: readonly Evidence[],
  reportLost: ReportLost,
): Promise<void> {
  const { client, complete } = options
  const send = async (path: '/v1/traces/batch' | '/v1/checkpoints/batch', body: object) => {
    const signal = AbortSignal.timeout(SEND_TIMEOUT_MS)
    const { results } = await client.request('POST', path, { body: body as never, signal })
    for (const result of results) {
      const evidence = batch[result.index]
      if (result.status !== 'rejected' || evidence === undefined) continue
      reportLost(evidence, result.message ?? 'The service rejected the record.')
    }
  }
  try {
    const completed = await Promise.all(batch.map(complete))
    await send('/v1/traces/batch', { traces: completed.map(({ trace }) => trace) })
    const checkpoints = completed.map(({ checkpoint }) => checkpoint)
    await send('/v1/checkpoints/batch', { checkpoints })
  } catch (error) {
    if (!isPermanent(error)) throw error
    // Bisect the batch, so that one invalid record does not fail the others.
    if (batch.length > 1 && [400, 413, 422].includes(error.status)) {
      const half = Math.ceil(batch.length / 2)
      await sendBatch(options, batch.slice(0, half), reportLost)
      await sendBatch(options, batch.slice(half), reportLost)
      return
    }
    for (const evidence of batch) reportLost(evidence, error.message)
  }
}

/** The service rejected the content. Key errors (401, 403) are retried, as a key can be fixed. */
function isPermanent(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 404, 409, 413, 422].includes(error.status)
}
