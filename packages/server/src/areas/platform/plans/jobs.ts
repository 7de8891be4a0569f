import type { Clock } from '../../../kernel/clock.ts'
import type { Schedule } from '../../../kernel/lifecycle.ts'
import type { PlanService } from './service.ts'

const EVERY_MINUTE = '* * * * *'

/** Adds metered use up and ends subscriptions that are over. */
export function planSchedules(plans: PlanService, clock: Clock): readonly Schedule[] {
  const run = async () => void (await plans.sum(clock.now()))
  return [{ name: 'usage', cron: EVERY_MINUTE, run }]
}
