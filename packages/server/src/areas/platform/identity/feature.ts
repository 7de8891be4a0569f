import type { Server } from '../../../http/server.ts'
import { createIdentityService, type IdentityDeps } from './service.ts'

export function createIdentityFeature(deps: IdentityDeps) {
  const service = createIdentityService(deps)
  // People are reached through the accounts and organisations features; there are no routes here.
  return { service, mount: (_app: Server): void => undefined }
}
