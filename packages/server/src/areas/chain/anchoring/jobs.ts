import type { Schedules } from '../../../kernel/schedules.ts'
import type { AnchoringService } from './service.ts'

/** A run that fails is tried again, as every job is. */
export function anchoringJobs(
  schedules: Schedules,
  service: AnchoringService,
  cron: string | undefined,
): void {
  if (cron === undefined) return
  schedules.add('automatic anchor', cron, async () => void (await service.anchorAll()))
}
