import { type BootstrapDeps, type Credentials, firstStart } from './service.ts'

export function createBootstrapFeature(deps: BootstrapDeps) {
  return {
    firstStart: (keep: (credentials: Credentials) => Promise<void>) => firstStart(deps, keep),
  }
}
