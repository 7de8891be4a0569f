import type { Schedule } from '../../../kernel/lifecycle.ts'

/** Daily at 03:00 UTC (spec: platform §6.3). */
const DAILY = '0 3 * * *'

export function purgeSchedules(purge: () => Promise<void>): readonly Schedule[] {
  return [{ name: 'purge', cron: DAILY, run: purge }]
}
