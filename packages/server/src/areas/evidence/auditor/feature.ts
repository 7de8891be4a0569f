import type { Jobs } from '../../../kernel/jobs.ts'
import { createAuditRun } from './jobs.ts'
import { type AuditDeps, createAuditService } from './service.ts'

export function createAuditorFeature(deps: AuditDeps & { jobs: Jobs }) {
  const service = createAuditService(deps)
  return { service, run: createAuditRun({ ...deps, service }) }
}
