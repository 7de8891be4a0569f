import type { Server } from '../../../http/server.ts'
import { attestationRoutes, certificateRoutes, treeRoutes } from './routes.ts'
import { type AttestationDeps, createAttestationService } from './service.ts'

export function createAttestationFeature(deps: AttestationDeps) {
  const service = createAttestationService(deps)
  const mount = (app: Server) => {
    attestationRoutes(app, service)
    certificateRoutes(app, service)
    treeRoutes(app, service)
  }
  return { service, mount }
}
