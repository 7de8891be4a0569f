/** 04 §5.5. */
export const ATTEMPTS_MAX = 6
export const FAILURES_MAX = 100

const SECOND_MS = 1000
/** After attempts 1 to 5. */
const DELAYS_MS = [10, 30, 120, 600, 3600].map((seconds) => seconds * SECOND_MS)
const BUSY_MS_MIN = 60 * SECOND_MS
const RETRY_AFTER_MS_MAX = 3600 * SECOND_MS

/** How a receiver answered, or why it did not. */
export type Answer = { status: number; retryAfter: string | undefined } | { error: string }

export type Verdict =
  | { status: 'delivered' }
  | { status: 'failed'; error: string }
  | { status: 'retrying'; error: string; delayMs: number }

/** What follows from the answer to an attempt; `random` is uniform in [0, 1). */
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

/** As the delivery log shows it. */
export function errorOf(answer: Answer): string {
  return 'error' in answer ? answer.error : `the receiver answered ${answer.status}`
}

function isPermanent(answer: Answer): boolean {
  if ('error' in answer || answer.status === 429) return false
  return answer.status >= 400 && answer.status < 500
}

function delayMs(
  answer: Answer,
  attempt: number,
  { random, now }: { random: number; now: Date },
): number {
  const usual = DELAYS_MS[Math.min(attempt, DELAYS_MS.length) - 1] ?? 0
  const spread = Math.round(usual * (0.9 + 0.2 * random))
  if ('error' in answer || answer.status !== 429) return spread
  return Math.max(spread, BUSY_MS_MIN, retryAfterMs(answer.retryAfter, now))
}

/** Seconds or a date (RFC 9110 §10.2.3); anything else says nothing. */
function retryAfterMs(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? ''
  const asked = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime()
  return Number.isNaN(asked) ? 0 : Math.min(Math.max(asked, 0), RETRY_AFTER_MS_MAX)
}
