import { erasedWithAgentOrOrg, erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { createExternalProver, type ExternalProver } from './prover-client.ts'
import { createProofWorker, type ProvingDeps } from './proving-service.ts'
import { proofRoutes, verifyProofRoutes } from './routes.ts'
import { createProofService, type ProofDeps } from './service.ts'

export type ProofFeatureDeps = ProofDeps &
  ProvingDeps & {
    baseUrl: string
    /** The operator's remote prover, if configured; replaces the one in this process. */
    external: ExternalProver | undefined
  }

export function createProofFeature({ external, ...given }: ProofFeatureDeps, lifecycle: Lifecycle) {
  const { prover: own } = given
  const prover = external === undefined ? own : createExternalProver(own, external)
  const deps = { ...given, prover }
  const service = createProofService(deps)
  const worker = createProofWorker(deps)
  lifecycle.add({
    name: 'risk/proofs',
    routes(app) {
      proofRoutes(app, service, deps.baseUrl)
      verifyProofRoutes(app, service)
    },
    hooks: {
      serve: worker.start,
      drain: worker.stop,
      // INVARIANT: after the assessments, which a concurrent request for a proof has locked.
      agentErased: { run: service.erase, after: ['risk/assessments'] },
      orgErased: { run: service.eraseOrg, after: ['risk/assessments'] },
    },
    gauges: [
      {
        name: 'touchstone_proof_queue_depth',
        help: 'Proofs that are neither verified nor failed.',
        read: service.countWaiting,
      },
    ],
    tables: {
      risk_proof: erasedWithAgentOrOrg(),
      risk_receipt: erasedWithAgentOrOrg(),
      risk_proof_turn: erasedWithOrg(),
    },
  })
  return { service, worker }
}
