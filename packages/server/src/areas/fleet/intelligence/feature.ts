import type { Server } from '../../../http/server.ts'
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
) {
  const { model, onFallback } = deps
  const adviser = model && createAdviser({ model, onFailure: onFallback })
  const service = createIntelligenceService({ ...deps, adviser })
  return { service, mount: (app: Server) => intelligenceRoutes(app, service) }
}
