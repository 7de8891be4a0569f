import { createBatcher } from '../../../kernel/batcher.ts'
import { isDatabaseDown } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { DecisionRecord } from './decision-record.ts'
import { type Batch, type Recorded, recordedById } from './signed-batch.ts'
import { createWriteQueue } from './write-queue.ts'

export type DeferredLedgerDeps = {
  sign(records: readonly DecisionRecord[]): Promise<Batch[]>
  write(batches: readonly Batch[]): Promise<void>
  /** A decision was answered without its record. */
  onUnrecorded(): void
  onError(err: unknown): void
}

const BATCH_MAX = 500
/** Decisions that wait for the database; more are refused. */
const UNWRITTEN_MAX = 10_000
const RETRY_MS = 1000
/** Half of the 50 ms that a dying process may lose (spec: decisions §2); the rest is for the commit. */
const DELAY_MS = 25

/** Signs decisions that are stored after they are answered. */
export function createDeferredLedger(deps: DeferredLedgerDeps) {
  const queue = createWriteQueue<Batch>({
    write: deps.write,
    sizeOf: ({ records }) => records.length,
    isDown: isDatabaseDown,
    onError: deps.onError,
    delayMs: DELAY_MS,
    retryMs: RETRY_MS,
    batchesMax: BATCH_MAX,
  })

  const signer = createBatcher<DecisionRecord, Recorded>({
    async run(records) {
      const batches = await deps.sign(records)
      for (const batch of batches) queue.add(batch)
      const recorded = recordedById(batches)
      return records.map(({ decisionId }) => recorded.get(decisionId) ?? unsigned())
    },
    itemsMax: BATCH_MAX,
    ageMsMax: 0,
  })

  const assertRoom = (count: number): void => {
    if (queue.waiting() + signer.pending() + count > UNWRITTEN_MAX) throw unavailable()
  }

  return {
    /** Resolves when the decisions are signed; they are stored within 50 ms. */
    async record(records: readonly DecisionRecord[]): Promise<readonly Recorded[]> {
      assertRoom(records.length)
      const signed = await signer.addAll(records)
      if (!queue.isDown()) return signed
      for (const _ of signed) deps.onUnrecorded()
      return signed.map((one): Recorded => ({ ...one, isWaiting: true }))
    },

    /** The same for a decision that could not be stored, because the database is down. */
    async recordLater(record: DecisionRecord): Promise<Recorded> {
      assertRoom(1)
      const recorded = await signer.add(record)
      deps.onUnrecorded()
      return recorded
    },

    async stop(): Promise<void> {
      await signer.stop()
      await queue.stop()
    },
  }
}

function unsigned(): never {
  throw new Error('a signed batch has no receipt')
}

function unavailable(): Problem {
  return new Problem('unavailable', 'The database is not reachable. Retry in a few seconds.')
}
