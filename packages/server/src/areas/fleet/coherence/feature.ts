import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { coherenceRoutes } from './routes.ts'
import { type CoherenceDeps, createCoherenceService } from './service.ts'

export function createCoherenceFeature(deps: CoherenceDeps, lifecycle: Lifecycle) {
  const service = createCoherenceService(deps)
  lifecycle.add({
    name: 'fleet/coherence',
    routes: (app) => coherenceRoutes(app, service),
    hooks: { agentErased: service.erase },
    purges: [{ name: 'coherence', run: service.purge }],
    tables: {
      coherence_pair: erasedWithAgent({ exported: 'evidence bundle', purged: '97 days' }),
      coherence_across: erasedWithAgent({ exported: 'evidence bundle', purged: '97 days' }),
      coherence_past: erasedWithAgent({ exported: 'evidence bundle', purged: '7 days' }),
    },
  })
  return { service }
}
