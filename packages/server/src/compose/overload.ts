import { unavailable } from '../http/answers/error-map.ts'
import { SECOND_MS } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { WorkerError } from '../workers/worker-pool.ts'

/** A hundred times the usual duration of a verification. */
export const VERIFY_TIMEOUT_MS = 20 * SECOND_MS

/** A thousand times the usual duration of a batch of texts. */
export const READ_TIMEOUT_MS = 5 * SECOND_MS

/** Answers 503 if the worker threads have too much to do. */
export function rejectOverload(err: unknown): Promise<never> {
  return Promise.reject(isOverload(err) ? unavailable(err) : err)
}

/**
 * The same for work on a document of the caller: one that takes more memory than a thread has is too
 * large, because the limit is many times what valid documents take.
 */
export function rejectHostile(err: unknown): Promise<never> {
  if (!(err instanceof WorkerError) || err.kind !== 'out_of_memory') return rejectOverload(err)
  const message = 'Verifying this document takes more memory than a verification may use.'
  return Promise.reject(new Problem('payload_too_large', message, { cause: err }))
}

/** A retry may succeed after an overload or a timeout, but probably not after a crash. */
function isOverload(err: unknown): boolean {
  return err instanceof WorkerError && ['busy', 'late', 'closed'].includes(err.kind)
}
