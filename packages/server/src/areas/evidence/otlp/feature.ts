import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { otlpRoutes } from './routes.ts'
import { createOtlpService, type OtlpDeps } from './service.ts'

export function createOtlpFeature(deps: OtlpDeps, lifecycle: Lifecycle): void {
  const service = createOtlpService(deps)
  lifecycle.add({
    name: 'evidence/otlp',
    routes: (app) => otlpRoutes(app, service),
  })
}
