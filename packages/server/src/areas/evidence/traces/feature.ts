import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import type { TraceDeps } from './ingest-service.ts'
import { traceIngestRoutes, traceRoutes } from './routes.ts'
import { createTraceService } from './service.ts'

export function createTraceFeature(deps: TraceDeps, lifecycle: Lifecycle) {
  const service = createTraceService(deps)
  lifecycle.add({
    name: 'evidence/traces',
    routes(app) {
      traceIngestRoutes(app, service)
      traceRoutes(app, service)
    },
    hooks: { agentErased: service.erase },
    purges: [{ name: 'traces', run: service.purge }],
    tables: {
      trace: erasedWithAgent({ purged: 'by plan and card' }),
      trace_owner: erasedWithAgent({ purged: 'by plan and card' }),
      trace_tally: erasedWithAgent(),
    },
  })
  return { service }
}
