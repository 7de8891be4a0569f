import type { Schedules } from '../../../kernel/schedules.ts'
import { type PurgeTask, purgeAll } from './service.ts'

/** 04 §7.3: daily at 03:00 UTC. */
const DAILY = '0 3 * * *'

export function schedulePurge(deps: {
  schedules: Schedules
  tasks: readonly PurgeTask[]
  onPurged(name: string, rows: number): void
}): void {
  deps.schedules.add('purge', DAILY, (firedAt) => purgeAll(deps.tasks, firedAt, deps.onPurged))
}
