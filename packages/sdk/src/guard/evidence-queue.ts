import { ApiError } from '../api-error.ts'
import type { Client } from '../client.ts'
import type { Evidence } from './evidence.ts'

export type LostEvidence = { evidence: Evidence; reason: string }

export type QueueOptions = {
  client: Client
  /** How much may wait while the service cannot be reached. */
  max: number
  /** What is still to be found out about it, just before it is sent. */
  complete(evidence: Evidence): Promise<Evidence>
  /** Told of what the service will never take, or what had to make room. */
  onLost(lost: LostEvidence): void
  /** Told why what waits could not be sent. */
  onDelayed(error: unknown): void
}

export type EvidenceQueue = {
  isFull(): boolean
  /** How much waits. */
  size(): number
  /** When it is full, the oldest makes room and is reported as lost. */
  add(evidence: Evidence): void
  /** Sends what waits; throws when something still waits afterwards. */
  flush(): Promise<void>
}

/** What a batch of checkpoints takes (interface, Limits); one of traces takes more. */
const BATCH_MAX = 50
/** Evidence is sent once calls have paused for so long, so that it takes nothing from them. */
const LULL_MS = 200
/** How long evidence waits for a lull at most, and how much of it. */
const GATHER_MS = 2_000
const GATHER_MAX = 500
/** How long the service may take for a batch before it is sent again. */
const SEND_MS_MAX = 30_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/**
 * Sends evidence in the order it came, some at a time, and again until the service has it: ids make
 * sure that it is stored once.
 */
export function createEvidenceQueue(options: QueueOptions): EvidenceQueue {
  const { max, onLost, onDelayed } = options
  let waiting: Evidence[] = []
  let sending: Promise<void> | undefined
  const timer = createTimer(() => void start().catch(() => undefined))
  let pauseMs = FIRST_PAUSE_MS

  const lost = new WeakSet<Evidence>()

  /** Told once, though trace and checkpoint may both be refused, and again when a batch is sent again. */
  const lose = (evidence: Evidence, reason: string) => {
    if (lost.has(evidence)) return
    lost.add(evidence)
    onLost({ evidence, reason })
  }

  /** What waits now: whatever comes meanwhile waits for its own lull. */
  async function sendWaiting(): Promise<void> {
    for (let left = waiting.length; left > 0; left -= BATCH_MAX) {
      const batch = waiting.slice(0, Math.min(BATCH_MAX, left))
      await sendBatch(options, batch, lose)
      // Some may have made room meanwhile.
      const sent = new Set(batch)
      waiting = waiting.filter((one) => !sent.has(one))
      pauseMs = FIRST_PAUSE_MS
    }
  }

  function start(): Promise<void> {
    timer.stop()
    sending ??= sendWaiting().then(whenSent, whenNot)
    return sending
  }

  function whenSent(): void {
    sending = undefined
    if (waiting.length > 0) timer.gather(waiting.length >= GATHER_MAX)
  }

  function whenNot(error: unknown): never {
    sending = undefined
    onDelayed(error)
    timer.rest(pauseMs)
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    throw error
  }

  return {
    isFull: () => waiting.length >= max,
    size: () => waiting.length,
    add(evidence) {
      if (waiting.length >= max) {
        const [oldest, ...rest] = waiting
        waiting = rest
        if (oldest !== undefined) lose(oldest, 'There was no room left.')
      }
      waiting.push(evidence)
      if (sending === undefined) timer.gather(waiting.length >= GATHER_MAX)
    },
    async flush() {
      await sending?.catch(() => undefined)
      await start()
    },
  }
}

/** When to send next: in a lull, or after a rest that a failure asks for and no lull ends. */
function createTimer(send: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isResting = false
  let gatheringSinceMs: number | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    isResting = false
    gatheringSinceMs = undefined
  }
  return {
    stop,
    gather(isEnough: boolean): void {
      if (isResting) return
      const nowMs = Date.now()
      gatheringSinceMs ??= nowMs
      const leftMs = isEnough ? 0 : gatheringSinceMs + GATHER_MS - nowMs
      clearTimeout(timer)
      timer = setTimeout(send, Math.max(0, Math.min(LULL_MS, leftMs)))
    },
    rest(pauseMs: number): void {
      stop()
      isResting = true
      timer = setTimeout(send, pauseMs)
      // A program that has nothing else to do may end; it flushes before.
      if (typeof timer === 'object') timer.unref()
    },
  }
}

type Lose = (evidence: Evidence, reason: string) => void

/** Traces first: a checkpoint names its trace, and takes the kind of a violation from it. */
async function sendBatch(
  options: Pick<QueueOptions, 'client' | 'complete'>,
  batch: readonly Evidence[],
  lose: Lose,
): Promise<void> {
  const { client, complete } = options
  const send = async (path: '/v1/traces/batch' | '/v1/checkpoints/batch', body: object) => {
    const signal = AbortSignal.timeout(SEND_MS_MAX)
    const { results } = await client.request('POST', path, { body: body as never, signal })
    for (const result of results) {
      const evidence = batch[result.index]
      if (result.status === 'rejected' && evidence) lose(evidence, result.message ?? 'Refused.')
    }
  }
  try {
    const completed = await Promise.all(batch.map(complete))
    await send('/v1/traces/batch', { traces: completed.map(({ trace }) => trace) })
    const checkpoints = completed.map(({ checkpoint }) => checkpoint)
    await send('/v1/checkpoints/batch', { checkpoints })
  } catch (error) {
    if (!isFinal(error)) throw error
    // One that cannot be read must not take the others with it.
    if (batch.length > 1 && [400, 413, 422].includes(error.status)) {
      const half = Math.ceil(batch.length / 2)
      await sendBatch(options, batch.slice(0, half), lose)
      await sendBatch(options, batch.slice(half), lose)
      return
    }
    for (const evidence of batch) lose(evidence, error.message)
  }
}

/** The service has read it and will not have it. A wrong key can be put right, so that can wait. */
function isFinal(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 404, 409, 413, 422].includes(error.status)
}
