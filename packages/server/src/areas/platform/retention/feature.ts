import type { Clock } from '../../../kernel/clock.ts'
import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { purgeSchedules } from './jobs.ts'

type RetentionDeps = {
  clock: Clock
  onPurged(name: string, rows: number): void
}

/** Says when; each feature registers what it purges and by which rule. */
export function createRetentionFeature(deps: RetentionDeps, lifecycle: Lifecycle): void {
  const purge = () => lifecycle.purge(deps.clock.now(), deps.onPurged)
  lifecycle.add({ name: 'platform/retention', schedules: purgeSchedules(purge) })
}
