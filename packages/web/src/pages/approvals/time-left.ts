const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The time until a deadline, rounded down so that it never promises more than there is. */
export function timeLeft(until: string, now: Date): string {
  const ms = Date.parse(until) - now.getTime()
  if (ms <= 0) return 'Expired'
  if (ms < MINUTE_MS) return 'Less than a minute left'
  if (ms < 2 * HOUR_MS) return `${count(Math.floor(ms / MINUTE_MS), 'minute')} left`
  return `${count(Math.floor(ms / HOUR_MS), 'hour')} left`
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}
