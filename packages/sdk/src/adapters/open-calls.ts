import type { Admission } from '../guard/guard.ts'

/**
 * Facts about calls that have begun, by their ids: for frameworks that tell of the end of a call apart
 * from its beginning.
 */
export type OpenCalls<T = Admission> = {
  open(callId: string, value: T): void
  find(callId: string): T | undefined
  /** Returns the call, which is no longer open then. */
  take(callId: string): T | undefined
}

/** Calls that the framework abandoned are forgotten when there are more than this, the oldest first. */
const OPEN_CALLS_MAX = 10_000

export function createOpenCalls<T = Admission>(max = OPEN_CALLS_MAX): OpenCalls<T> {
  const calls = new Map<string, T>()
  return {
    open(callId, value) {
      calls.set(callId, value)
      const [oldest] = calls.keys()
      if (calls.size > max && oldest !== undefined) calls.delete(oldest)
    },
    find: (callId) => calls.get(callId),
    take(callId) {
      const value = calls.get(callId)
      calls.delete(callId)
      return value
    },
  }
}

/**
 * A key of the call itself, because a model may give two calls the same id: the admission of one must
 * not be taken for the other.
 */
export function callKey(callId: string, tool: string, input: unknown): string {
  return JSON.stringify([callId, tool, input])
}
