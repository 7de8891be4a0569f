import { ApiError } from './api-error.ts'

const FIRST_WAIT_MS = 250
const LONGEST_BACKOFF_MS = 8_000
/** Somebody told to wait longer than that should decide for themselves. */
const LONGEST_RETRY_AFTER_SECONDS = 60

/**
 * Milliseconds before the next attempt; undefined when another would change nothing. `random` from
 * 0 to 1 spreads those who failed together.
 */
export function waitAfter(error: unknown, attempt: number, random: number): number | undefined {
  const backoff = random * Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** attempt)
  // fetch throws a TypeError when no answer came; anything else is the caller's own doing.
  if (error instanceof TypeError) return backoff
  if (!(error instanceof ApiError) || !mayPass(error)) return undefined
  const { retryAfter = 0 } = error
  if (retryAfter > LONGEST_RETRY_AFTER_SECONDS) return undefined
  // Not all at once at the end of the wait, either.
  return retryAfter * 1000 + backoff
}

/** The first attempt may still be at work when the second arrives. */
function mayPass({ status, code }: ApiError): boolean {
  return status === 429 || status >= 500 || code === 'idempotency_in_progress'
}
