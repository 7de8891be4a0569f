import type { Server } from '../../../http/server.ts'
import { attestationRoutes } from './routes.ts'
import { type AttestationDeps, createAttestationService } from './service.ts'

export function createAttestationFeature(deps: AttestationDeps) {
  const service = createAttestationService(deps)
  return { service, mount: (app: Server) => attestationRoutes(app, service) }
}
