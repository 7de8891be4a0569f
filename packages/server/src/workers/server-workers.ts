import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import type { ServerTasks } from './tasks.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

export type ServerWorkers = WorkerPool<ServerTasks>

/** One core is left to requests, and more threads than this help nobody. */
const THREADS_MAX = 4
/** More than these would wait longer than anybody does. */
const WAITING_MAX = 100
/** Longer, and whoever asked has gone. */
const WAIT_MS_MAX = 20_000
const MEMORY_MB_MAX = 512

/** The pool of this process; no thread is started before there is something to do. */
export function createServerWorkers(): ServerWorkers {
  return createWorkerPool<ServerTasks>({
    // Compiled or not, the entry stands beside this file.
    entry: new URL(`./worker${extname(import.meta.url)}`, import.meta.url),
    threadsMax: Math.max(1, Math.min(THREADS_MAX, availableParallelism() - 1)),
    waitingMax: WAITING_MAX,
    waitMsMax: WAIT_MS_MAX,
    memoryMbMax: MEMORY_MB_MAX,
  })
}
