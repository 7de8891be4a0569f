import type { Schedule } from '../../../kernel/lifecycle.ts'

/** 04 §7.3: daily at 03:00 UTC. */
const DAILY = '0 3 * * *'

export function purgeSchedules(purge: () => Promise<void>): readonly Schedule[] {
  return [{ name: 'purge', cron: DAILY, run: purge }]
}
