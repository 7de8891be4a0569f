import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import type { ServerTasks } from './tasks.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

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
  return createWorkerPool<ServerTasks>({
    // Compiled or not, the entry is in the same folder as this file.
    entry: new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    threadsMax: Math.max(1, Math.min(THREADS_MAX, availableParallelism() - 1)),
    waitingMax: WAITING_MAX,
    waitMsMax: WAIT_MS_MAX,
    memoryMbMax: MEMORY_MB_MAX,
  })
}
