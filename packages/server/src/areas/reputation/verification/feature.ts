import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { verificationRoutes } from './routes.ts'
import { createVerificationService, type VerificationDeps } from './service.ts'

export function createVerificationFeature(deps: VerificationDeps, lifecycle: Lifecycle) {
  const service = createVerificationService(deps)
  lifecycle.add({
    name: 'reputation/verification',
    routes: (app) => verificationRoutes(app, service),
  })
  return { service }
}
