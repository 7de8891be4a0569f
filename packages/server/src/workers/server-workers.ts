import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import type { ServerTasks } from './tasks.ts'
import { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from './worker-pool.ts'

export type ServerWorkers = WorkerPool<ServerTasks>

/** One core is left for requests; more threads than this bring no gain. */
const THREADS_MAX = 4
/** Further tasks would wait longer than their callers do. */
const WAITING_MAX = 100
/** After this the caller has timed out. */
const WAIT_MS_MAX = 20_000
const MEMORY_MB_MAX = 512

/** The worker pool of this process; threads start on first use. */
export function createServerWorkers(): ServerWorkers {
  return createPool({
    threadsMax: Math.max(1, Math.min(THREADS_MAX, availableParallelism() - 1)),
    waitingMax: WAITING_MAX,
    memoryMbMax: MEMORY_MB_MAX,
  })
}

/** One verification may not delay the next one by more than its own time. */
const VERIFIERS = 2
/** More than the limits per minute let a dozen addresses ask for at once. */
const VERIFICATIONS_WAITING_MAX = 50
/** Twenty times the largest receipt. */
const VERIFIER_MEMORY_MB_MAX = 192

/**
 * For verifications that anybody can ask for. A pool of its own, so that strangers cannot fill the
 * queue of the other one and do not wait for its proofs.
 */
export function createVerifiers(memoryMbMax = VERIFIER_MEMORY_MB_MAX): ServerWorkers {
  return createPool({
    threadsMax: VERIFIERS,
    waitingMax: VERIFICATIONS_WAITING_MAX,
    memoryMbMax,
  })
}

/** Twice the largest body, in the four bytes that its hashes take per byte. */
const READER_MEMORY_MB_MAX = 128
/** A batch that waits longer is read by its caller. */
const BATCHES_WAITING_MAX = 8

/**
 * Reads the texts of checkpoints while many arrive. One thread of its own, which keeps up with the
 * one that stores them and never waits for a proof.
 */
export function createReader(): ServerWorkers {
  return createPool({
    threadsMax: 1,
    waitingMax: BATCHES_WAITING_MAX,
    memoryMbMax: READER_MEMORY_MB_MAX,
  })
}

function createPool(
  limits: Pick<WorkerPoolOptions, 'threadsMax' | 'waitingMax' | 'memoryMbMax'>,
): ServerWorkers {
  return createWorkerPool<ServerTasks>({
    // Compiled or not, the entry is in the same folder as this file.
    entry: new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    waitMsMax: WAIT_MS_MAX,
    ...limits,
  })
}
