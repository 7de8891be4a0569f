import { goesWithBoth, type Lifecycle } from '../../../lifecycle-phases.ts'
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
      // INVARIANT: after the assessments, which a proof requested meanwhile holds on to.
      agentErased: { run: service.erase, after: ['risk/assessments'] },
      orgErased: { run: service.eraseOrg, after: ['risk/assessments'] },
    },
    gauges: [
      {
        name: 'touchstone_proof_queue_depth',
        help: 'Proofs not at their end.',
        read: service.countWaiting,
      },
    ],
    tables: {
      risk_proof: goesWithBoth(),
      risk_receipt: goesWithBoth(),
    },
  })
  return { service, worker }
}
