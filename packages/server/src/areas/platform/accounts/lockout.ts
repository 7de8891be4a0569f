/** Five failed logins per e-mail address in 15 minutes lock the address (spec: platform §2.4). */
export const FAILURES_MAX = 5
export const WINDOW_MS = 15 * 60 * 1000

/** Whole seconds until another attempt is allowed, or `undefined` if one is allowed now. */
export function lockedSeconds(failures: readonly Date[], now: Date): number | undefined {
  const ends = failures
    .map((failure) => failure.getTime() + WINDOW_MS)
    .filter((end) => end > now.getTime())
    .sort((a, b) => b - a)
  // The lock ends when the fifth-newest failure leaves the window, because four are then left in
  // it.
  const end = ends[FAILURES_MAX - 1]
  if (end === undefined) return undefined
  return Math.max(1, Math.ceil((end - now.getTime()) / 1000))
}
