import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { createEnforcementService, type EnforcementDeps } from './service.ts'

/** Has no endpoints of its own: it acts where checkpoints come in and calls are decided. */
export function createEnforcementFeature(deps: EnforcementDeps, lifecycle: Lifecycle) {
  const service = createEnforcementService(deps)
  lifecycle.add({
    name: 'control/enforcement',
    hooks: { agentErased: service.erase },
    purges: [{ name: 'nudges', run: service.purge }],
    tables: {
      nudge: erasedWithAgent({ purged: '24 hours' }),
    },
  })
  return { service }
}
