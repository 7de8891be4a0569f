import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { attestationRoutes, certificateRoutes, treeRoutes } from './routes.ts'
import { type AttestationDeps, createAttestationService } from './service.ts'

export function createAttestationFeature(deps: AttestationDeps, lifecycle: Lifecycle) {
  const service = createAttestationService(deps)
  lifecycle.add({
    name: 'evidence/attestation',
    routes(app) {
      attestationRoutes(app, service)
      certificateRoutes(app, service)
      treeRoutes(app, service)
    },
    hooks: { warm: service.prepare, agentErased: service.erase },
    tables: {
      merkle_node: erasedWithAgent({ exported: 'evidence bundle' }),
      certificate: erasedWithAgent({ exported: 'evidence bundle' }),
    },
  })
  return { service }
}
