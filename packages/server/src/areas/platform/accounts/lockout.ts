/** Five failures per e-mail address in 15 minutes, then no further try (04 §2.4). */
export const FAILURES_MAX = 5
export const WINDOW_MS = 15 * 60 * 1000

/** Whole seconds until another try is allowed, or `undefined` when it is allowed now. */
export function lockedSeconds(failures: readonly Date[], now: Date): number | undefined {
  const ends = failures
    .map((failure) => failure.getTime() + WINDOW_MS)
    .filter((end) => end > now.getTime())
    .sort((a, b) => b - a)
  // Once the fifth-newest failure has left the window, four are left in it.
  const end = ends[FAILURES_MAX - 1]
  if (end === undefined) return undefined
  return Math.max(1, Math.ceil((end - now.getTime()) / 1000))
}
