const DAY_MS = 86_400_000

/** A trend compares with the score that stood this long ago. */
export const TREND_WINDOW_MS = 30 * DAY_MS

/** One change of a score: it stood from then until the next entry. */
export type ScoreLogEntry = { atMs: number; score: number }

/**
 * The score minus the one that stood 30 days ago; 0 when there was none. Of the log only the
 * last entry from before that time matters, so handing in that one alone is enough.
 */
export function trend30d(
  score: number,
  { log, nowMs }: { log: readonly ScoreLogEntry[]; nowMs: number },
): number {
  const then = log
    .filter(({ atMs }) => atMs <= nowMs - TREND_WINDOW_MS)
    .reduce<ScoreLogEntry | undefined>(
      (last, entry) => (last !== undefined && last.atMs > entry.atMs ? last : entry),
      undefined,
    )
  return then === undefined ? 0 : score - then.score
}

/** The date of the Sunday, in UTC, that begins the week of an instant. */
export function weekStart(atMs: number): string {
  const sunday = new Date(atMs)
  sunday.setUTCDate(sunday.getUTCDate() - sunday.getUTCDay())
  return sunday.toISOString().slice(0, 10)
}
