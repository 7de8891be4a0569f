import type { Schedule } from '../../../kernel/lifecycle.ts'
import type { AnchoringService } from './service.ts'

/** A failed run is retried like every job. */
export function anchoringSchedules(
  service: AnchoringService,
  cron: string | undefined,
): readonly Schedule[] {
  if (cron === undefined) return []
  return [{ name: 'automatic anchor', cron, run: async () => void (await service.anchorAll()) }]
}
