import type { Server } from '../../../http/server.ts'
import { createProofWorker, type ProvingDeps } from './proving-service.ts'
import { proofRoutes, verifyProofRoutes } from './routes.ts'
import { createProofService, type ProofDeps } from './service.ts'

export function createProofFeature(deps: ProofDeps & ProvingDeps & { baseUrl: string }) {
  const service = createProofService(deps)
  const mount = (app: Server) => {
    proofRoutes(app, service, deps.baseUrl)
    verifyProofRoutes(app, service)
  }
  return { service, worker: createProofWorker(deps), mount }
}
