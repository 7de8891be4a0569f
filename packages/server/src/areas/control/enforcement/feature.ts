import { createEnforcementService, type EnforcementDeps } from './service.ts'

/** Has no endpoints of its own: it acts where checkpoints come in and calls are decided. */
export function createEnforcementFeature(deps: EnforcementDeps) {
  return { service: createEnforcementService(deps) }
}
