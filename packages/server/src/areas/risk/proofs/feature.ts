import type { Server } from '../../../http/server.ts'
import { createExternalProver, type ExternalProver } from './prover-client.ts'
import { createProofWorker, type ProvingDeps } from './proving-service.ts'
import { proofRoutes, verifyProofRoutes } from './routes.ts'
import { createProofService, type ProofDeps } from './service.ts'

export type ProofFeatureDeps = ProofDeps &
  ProvingDeps & {
    baseUrl: string
    /** Makes the proofs instead of the one in this process, when the operator has one. */
    external: ExternalProver | undefined
  }

export function createProofFeature({ external, ...given }: ProofFeatureDeps) {
  const { prover: own } = given
  const prover = external === undefined ? own : createExternalProver(own, external)
  const deps = { ...given, prover }
  const service = createProofService(deps)
  const mount = (app: Server) => {
    proofRoutes(app, service, deps.baseUrl)
    verifyProofRoutes(app, service)
  }
  return { service, worker: createProofWorker(deps), mount }
}
