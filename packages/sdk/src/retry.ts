import { toApiError } from './api-error.ts'
import { retryDelayMs } from './backoff.ts'

export type RetryOptions = { retries: number; signal?: AbortSignal | undefined }

/**
 * Sends a request and retries it, with backoff, after a transient failure. Throws the ApiError of the
 * last response, or the error of fetch if there was none. Use retries for idempotent requests only.
 */
export async function withRetries(
  send: () => Promise<Response>,
  { retries, signal }: RetryOptions,
): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOnce(send)
    if (outcome instanceof Response) return outcome
    const delayMs =
      attempt < retries ? retryDelayMs(outcome.error, attempt, Math.random()) : undefined
    if (delayMs === undefined || signal?.aborted) throw outcome.error
    await sleep(delayMs, signal)
  }
}

/** Returns a successful response (304 included), or the error of a failed attempt. */
async function attemptOnce(send: () => Promise<Response>): Promise<Response | { error: unknown }> {
  try {
    const answer = await send()
    return answer.ok || answer.status === 304 ? answer : { error: await toApiError(answer) }
  } catch (error) {
    return { error }
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
