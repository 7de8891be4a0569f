const DAY_MS = 86_400_000

/** A trend compares with the score from this long ago. */
export const TREND_WINDOW_MS = 30 * DAY_MS

/** One change of a score, in effect until the next entry. */
export type ScoreLogEntry = { atMs: number; score: number }

/**
 * The score minus the score 30 days ago; 0 if there was none. Only the last log entry before that
 * time matters, so passing that one is enough.
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

/** The UTC date of the Sunday that starts the week of an instant. */
export function weekStart(atMs: number): string {
  const sunday = new Date(atMs)
  sunday.setUTCDate(sunday.getUTCDate() - sunday.getUTCDay())
  return sunday.toISOString().slice(0, 10)
}
