import { ApiError, errorOf } from './api-error.ts'

const FIRST_WAIT_MS = 250
const LONGEST_BACKOFF_MS = 8_000
/** Somebody told to wait longer than that should decide for themselves. */
const LONGEST_RETRY_AFTER_SECONDS = 60

export type RetryOptions = { retries: number; signal?: AbortSignal | undefined }

/**
 * Sends until there is an answer to be believed. What is thrown in the end is the last answer's
 * ApiError, or what fetch threw when there was no answer. Only for what may be sent twice.
 */
export async function withRetries(
  send: () => Promise<Response>,
  { retries, signal }: RetryOptions,
): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce(send)
    if (outcome instanceof Response) return outcome
    const wait = attempt < retries ? waitAfter(outcome.error, attempt) : undefined
    if (wait === undefined || signal?.aborted) throw outcome.error
    await pause(wait, signal)
  }
}

/** An answer that is no error, or the error it is. */
async function attemptOnce(send: () => Promise<Response>): Promise<Response | { error: unknown }> {
  try {
    const answer = await send()
    return answer.ok || answer.status === 304 ? answer : { error: await errorOf(answer) }
  } catch (error) {
    return { error }
  }
}

/** Milliseconds before the next attempt; undefined when another would change nothing. */
function waitAfter(error: unknown, attempt: number): number | undefined {
  const backoff = Math.random() * Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** attempt)
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

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
