import type { Jobs } from '../../../kernel/jobs.ts'
import { goesWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { auditSchedules, createAuditRun } from './jobs.ts'
import { type AuditDeps, createAuditService } from './service.ts'

export function createAuditorFeature(deps: AuditDeps & { jobs: Jobs }, lifecycle: Lifecycle) {
  const service = createAuditService(deps)
  const run = createAuditRun({ ...deps, service })
  lifecycle.add({
    name: 'evidence/auditor',
    schedules: auditSchedules(run),
    hooks: { agentErased: service.erase },
    tables: {
      chain_audit: goesWithAgent(),
    },
  })
  return { service, run }
}
