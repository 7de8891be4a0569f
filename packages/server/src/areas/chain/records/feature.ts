import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { recordRoutes } from './routes.ts'
import { createRecordService, type RecordDeps } from './service.ts'

export function createRecordFeature(deps: RecordDeps, lifecycle: Lifecycle) {
  const service = createRecordService(deps)
  lifecycle.add({
    name: 'chain/records',
    routes: (app) => recordRoutes(app, service),
  })
  return { service }
}
