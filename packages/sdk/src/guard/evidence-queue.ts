import { ApiError } from '../api-error.ts'
import type { Client } from '../client.ts'
import type { Evidence } from './evidence.ts'
import { createSendQueue, type SendQueue } from './send-queue.ts'

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

export type EvidenceQueue = SendQueue<Evidence>

/** Largest batch of checkpoints (spec: interface, Limits); traces allow larger ones. */
const BATCH_MAX = 50
/** Timeout of one batch, after which it is retried. */
const SEND_TIMEOUT_MS = 30_000
/**
 * Sends evidence in order, in batches, and retries with backoff until the service has it. Retries are
 * idempotent, because each record has a fixed id.
 */
export function createEvidenceQueue(options: QueueOptions): EvidenceQueue {
  const { max, onLost, onDelayed } = options
  const reported = new WeakSet<Evidence>()
  /** Reports once, even if trace and checkpoint are both rejected, or again when a batch is retried. */
  const reportLost = (evidence: Evidence, reason: string) => {
    if (reported.has(evidence)) return
    reported.add(evidence)
    onLost({ evidence, reason })
  }
  return createSendQueue({
    max,
    batchMax: BATCH_MAX,
    send: (batch) => sendBatch(options, batch, reportLost),
    onEvicted: (evidence) => reportLost(evidence, 'The evidence queue was full.'),
    onDelayed,
  })
}

type ReportLost = (evidence: Evidence, reason: string) => void

/** Sends traces first: a checkpoint refers to its trace and takes the kind of a violation from it. */
async function sendBatch(
  options: Pick<QueueOptions, 'client' | 'complete'>,
  batch: readonly Evidence[],
  reportLost: ReportLost,
): Promise<void> {
  const { client, complete } = options
  const send = async (kind: 'trace' | 'checkpoint', completed: readonly Evidence[]) => {
    // A record can consist of a trace alone or a checkpoint alone.
    const sent = completed.flatMap((evidence, index) => {
      const body = evidence[kind]
      return body === undefined ? [] : [{ body, evidence: batch[index] }]
    })
    if (sent.length === 0) return
    const signal = AbortSignal.timeout(SEND_TIMEOUT_MS)
    const body = { [`${kind}s`]: sent.map((one) => one.body) }
    const path = `/v1/${kind}s/batch` as const
    // Each path gets the body of its kind; the types cannot tie them.
    const { results } = await client.request('POST', path, { body: body as never, signal })
    for (const result of results) {
      const { evidence } = sent[result.index] ?? {}
      if (result.status !== 'rejected' || evidence === undefined) continue
      reportLost(evidence, result.message ?? 'The service rejected the record.')
    }
  }
  try {
    const completed = await Promise.all(batch.map(complete))
    await send('trace', completed)
    await send('checkpoint', completed)
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
export function isPermanent(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 404, 409, 413, 422].includes(error.status)
}
