import type { Clock } from '../../../kernel/clock.ts'
import type { Schedules } from '../../../kernel/schedules.ts'
import { type PurgeTask, purgeAll } from './service.ts'

/** 04 §7.3: daily at 03:00 UTC. */
const DAILY = '0 3 * * *'

export function schedulePurge(deps: {
  clock: Clock
  schedules: Schedules
  tasks: readonly PurgeTask[]
  onPurged(name: string, rows: number): void
}): void {
  deps.schedules.add('purge', DAILY, () => purgeAll(deps.tasks, deps.clock.now(), deps.onPurged))
}
