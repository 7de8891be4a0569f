import type { Lifecycle } from '../../../lifecycle-phases.ts'
import type { Model } from '../../../model/model.ts'
import { type AdviserDeps, createAdviser } from './adviser-client.ts'
import { intelligenceRoutes } from './routes.ts'
import { createIntelligenceService, type IntelligenceDeps } from './service.ts'

export function createIntelligenceFeature(
  deps: Omit<IntelligenceDeps, 'adviser'> & {
    /** Absent without MODEL_PROVIDER. */
    model: Model | undefined
    onFallback: AdviserDeps['onFailure']
  },
  lifecycle: Lifecycle,
) {
  const { model, onFallback } = deps
  const adviser = model && createAdviser({ model, onFailure: onFallback })
  const service = createIntelligenceService({ ...deps, adviser })
  lifecycle.add({
    name: 'fleet/intelligence',
    routes: (app) => intelligenceRoutes(app, service),
    hooks: {
      agentErased: service.eraseAgent,
      teamErased: service.eraseTeam,
    },
    purges: [{ name: 'intelligence', run: service.purge }],
    tables: {
      team_insight: {
        erased: ['agentErased', 'teamErased'],
        exported: 'backup only',
        purged: 'a year',
      },
    },
  })
  return { service }
}
