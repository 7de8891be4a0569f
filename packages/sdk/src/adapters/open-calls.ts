import type { Admission } from '../guard/guard.ts'

/**
 * Admitted calls of a framework that tells of the end of a call apart from its beginning, by the ids of
 * the calls.
 */
export type OpenCalls = {
  open(callId: string, admission: Admission): void
  /** Returns the call, which is no longer open then. */
  take(callId: string): Admission | undefined
}

/** Calls that the framework abandoned are forgotten when there are more than this, the oldest first. */
const OPEN_CALLS_MAX = 10_000

export function createOpenCalls(max = OPEN_CALLS_MAX): OpenCalls {
  const calls = new Map<string, Admission>()
  return {
    open(callId, admission) {
      calls.set(callId, admission)
      const [oldest] = calls.keys()
      if (calls.size > max && oldest !== undefined) calls.delete(oldest)
    },
    take(callId) {
      const admission = calls.get(callId)
      calls.delete(callId)
      return admission
    },
  }
}
