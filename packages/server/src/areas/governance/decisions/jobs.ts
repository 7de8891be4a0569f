import type { Schedule } from '../../../kernel/lifecycle.ts'

const EVERY_MINUTE = '* * * * *'

export function decisionSchedules(stops: {
  announceOverdue(): Promise<void>
}): readonly Schedule[] {
  return [{ name: 'blocked calls', cron: EVERY_MINUTE, run: stops.announceOverdue }]
}
