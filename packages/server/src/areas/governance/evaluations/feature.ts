import type { Server } from '../../../http/server.ts'
import { evaluationRoutes } from './routes.ts'
import { createEvaluationService, type EvaluationDeps } from './service.ts'

export function createEvaluationFeature(deps: EvaluationDeps) {
  const service = createEvaluationService(deps)
  return { service, mount: (app: Server) => evaluationRoutes(app, service) }
}
