import { unavailable } from '../http/answers/error-map.ts'
import { SECOND_MS } from '../kernel/clock.ts'
import { WorkerError } from '../workers/worker-pool.ts'

/** A hundred times the usual duration of a verification. */
export const VERIFY_TIMEOUT_MS = 20 * SECOND_MS

/** A thousand times the usual duration of a batch of texts. */
export const READ_TIMEOUT_MS = 5 * SECOND_MS

/** Answers 503 if the worker threads have too much to do. */
export function rejectOverload(err: unknown): Promise<never> {
  return Promise.reject(isOverload(err) ? unavailable(err) : err)
}

/** A retry may succeed after an overload or a timeout, but probably not after a crash. */
function isOverload(err: unknown): boolean {
  return err instanceof WorkerError && err.kind !== 'crashed'
}
