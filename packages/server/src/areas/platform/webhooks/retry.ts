/** spec: platform §5.5. */
export const ATTEMPTS_MAX = 6
export const FAILURES_MAX = 100

const SECOND_MS = 1000
/** Delays after attempts 1 to 5. */
const DELAYS_MS = [10, 30, 120, 600, 3600].map((seconds) => seconds * SECOND_MS)
const BUSY_MS_MIN = 60 * SECOND_MS
const RETRY_AFTER_MS_MAX = 3600 * SECOND_MS

/** The answer of a receiver, or the reason why there is none. */
export type Answer =
  | { status: number; retryAfter: string | undefined }
  | { error: string; isFinal?: true }

export type Verdict =
  | { status: 'delivered' }
  | { status: 'failed'; error: string }
  | { status: 'retrying'; error: string; delayMs: number }

/** Decides whether an attempt succeeded, failed or is retried; `random` is uniform in [0, 1). */
export function judge(
  answer: Answer,
  attempt: number,
  chance: { random: number; now: Date },
): Verdict {
  if (isDelivered(answer)) return { status: 'delivered' }
  const error = errorOf(answer)
  if (isPermanent(answer) || attempt >= ATTEMPTS_MAX) return { status: 'failed', error }
  return { status: 'retrying', error, delayMs: delayMs(answer, attempt, chance) }
}

export function isDelivered(answer: Answer): boolean {
  return 'status' in answer && answer.status >= 200 && answer.status < 300
}

/** The error as shown in the delivery log. */
export function errorOf(answer: Answer): string {
  return 'error' in answer ? answer.error : `the receiver answered ${answer.status}`
}

function isPermanent(answer: Answer): boolean {
  if ('error' in answer) return answer.isFinal === true
  if (answer.status === 429) return false
  return answer.status >= 400 && answer.status < 500
}

function delayMs(
  answer: Answer,
  attempt: number,
  { random, now }: { random: number; now: Date },
): number {
  const regular = DELAYS_MS[Math.min(attempt, DELAYS_MS.length) - 1] ?? 0
  const jittered = Math.round(regular * (0.9 + 0.2 * random))
  if ('error' in answer || answer.status !== 429) return jittered
  return Math.max(jittered, BUSY_MS_MIN, retryAfterMs(answer.retryAfter, now))
}

/** Seconds or a date (RFC 9110 §10.2.3); anything else is ignored. */
function retryAfterMs(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? ''
  const delay = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime()
  return Number.isNaN(delay) ? 0 : Math.min(Math.max(delay, 0), RETRY_AFTER_MS_MAX)
}
