import type { Server } from '../../../http/server.ts'
import { verificationRoutes } from './routes.ts'
import { createVerificationService, type VerificationDeps } from './service.ts'

export function createVerificationFeature(deps: VerificationDeps) {
  const service = createVerificationService(deps)
  return { service, mount: (app: Server) => verificationRoutes(app, service) }
}
