import { errorOf } from './api-error.ts'
import { waitAfter } from './backoff.ts'

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
    const wait = attempt < retries ? waitAfter(outcome.error, attempt, Math.random()) : undefined
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
