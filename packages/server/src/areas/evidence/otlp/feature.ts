import type { Server } from '../../../http/server.ts'
import { otlpRoutes } from './routes.ts'
import { createOtlpService, type OtlpDeps } from './service.ts'

export function createOtlpFeature(deps: OtlpDeps) {
  const service = createOtlpService(deps)
  return { mount: (app: Server) => otlpRoutes(app, service) }
}
