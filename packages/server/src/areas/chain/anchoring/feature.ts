import type { Server } from '../../../http/server.ts'
import type { Schedules } from '../../../kernel/schedules.ts'
import { anchoringJobs } from './jobs.ts'
import type { AnchoringDeps } from './ports.ts'
import { anchoringRoutes } from './routes.ts'
import { createAnchoringService } from './service.ts'

export function createAnchoringFeature(
  deps: AnchoringDeps & { schedules: Schedules; cron: string | undefined },
) {
  const service = createAnchoringService(deps)
  anchoringJobs(deps.schedules, service, deps.cron)
  return { service, mount: (app: Server) => anchoringRoutes(app, service) }
}
