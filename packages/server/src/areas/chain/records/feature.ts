import type { Server } from '../../../http/server.ts'
import { recordRoutes } from './routes.ts'
import { createRecordService, type RecordDeps } from './service.ts'

export function createRecordFeature(deps: RecordDeps) {
  const service = createRecordService(deps)
  return { service, mount: (app: Server) => recordRoutes(app, service) }
}
