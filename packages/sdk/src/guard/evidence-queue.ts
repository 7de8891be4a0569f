import { ApiError } from '../api-error.ts'
import type { Client } from '../client.ts'
import type { Evidence } from './evidence.ts'

export type LostEvidence = { evidence: Evidence; reason: string }

export type QueueOptions = {
  client: Client
  /** How much may wait while the service cannot be reached. */
  max: number
  /** Told of what the service will never take, or what had to make room. */
  onLost(lost: LostEvidence): void
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
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/**
 * Sends evidence in the order it came, some at a time, and again until the service has it: ids make
 * sure that it is stored once.
 */
export function createEvidenceQueue({ client, max, onLost }: QueueOptions): EvidenceQueue {
  let waiting: Evidence[] = []
  let sending: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauseMs = FIRST_PAUSE_MS

  const lose = (evidence: Evidence, reason: string) => onLost({ evidence, reason })

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX)
      await sendBatch(client, batch, lose)
      // Some may have made room meanwhile.
      const sent = new Set(batch)
      waiting = waiting.filter((one) => !sent.has(one))
      pauseMs = FIRST_PAUSE_MS
    }
  }

  function start(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }

  function startLater(): void {
    timer ??= setTimeout(() => void start().catch(startLater), pauseMs)
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    // A program that has nothing else to do may end; it flushes before.
    if (typeof timer === 'object') timer.unref()
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
      if (sending === undefined && timer === undefined) start().catch(startLater)
    },
    async flush() {
      await sending?.catch(() => undefined)
      await start()
    },
  }
}

type Lose = (evidence: Evidence, reason: string) => void

/** Traces first: a checkpoint names its trace, and takes the kind of a violation from it. */
async function sendBatch(client: Client, batch: readonly Evidence[], lose: Lose): Promise<void> {
  const traces = batch.map(({ trace }) => trace)
  const checkpoints = batch.map(({ checkpoint }) => checkpoint)
  const send = async (path: '/v1/traces/batch' | '/v1/checkpoints/batch', body: object) => {
    const { results } = await client.request('POST', path, { body: body as never })
    for (const result of results) {
      const evidence = batch[result.index]
      if (result.status === 'rejected' && evidence) lose(evidence, result.message ?? 'Refused.')
    }
  }
  try {
    await send('/v1/traces/batch', { traces })
    await send('/v1/checkpoints/batch', { checkpoints })
  } catch (error) {
    if (!isFinal(error)) throw error
    // One that cannot be read must not take the others with it.
    if (batch.length > 1 && [400, 413, 422].includes(error.status)) {
      const half = Math.ceil(batch.length / 2)
      await sendBatch(client, batch.slice(0, half), lose)
      await sendBatch(client, batch.slice(half), lose)
      return
    }
    for (const evidence of batch) lose(evidence, error.message)
  }
}

/** The service has read it and will not have it. A wrong key can be put right, so that can wait. */
function isFinal(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 404, 409, 413, 422].includes(error.status)
}
