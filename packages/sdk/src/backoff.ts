import { ApiError } from './api-error.ts'

const BACKOFF_MS_FIRST = 250
const BACKOFF_MS_MAX = 8_000
/** If Retry-After is longer than this, the error is thrown and the caller decides whether to wait. */
const RETRY_AFTER_SECONDS_MAX = 60

/**
 * Milliseconds to wait before the next retry, or undefined if a retry is pointless. `random`, from 0
 * to 1, is the jitter that spreads out clients that failed at the same time.
 */
export function retryDelayMs(error: unknown, attempt: number, random: number): number | undefined {
  const backoff = random * Math.min(BACKOFF_MS_MAX, BACKOFF_MS_FIRST * 2 ** attempt)
  // fetch throws a TypeError on a network failure; any other error, such as an abort, is the caller's.
  if (error instanceof TypeError) return backoff
  if (!(error instanceof ApiError) || !isTransient(error)) return undefined
  const { retryAfter = 0 } = error
  if (retryAfter > RETRY_AFTER_SECONDS_MAX) return undefined
  // The jitter also applies after Retry-After, or all waiting clients would return together.
  return retryAfter * 1000 + backoff
}

/** `idempotency_in_progress` means that the first attempt is still running. */
function isTransient({ status, code }: ApiError): boolean {
  return status === 429 || status >= 500 || code === 'idempotency_in_progress'
}
