import type { Jobs } from '../../../kernel/jobs.ts'
import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { auditSchedules, createAuditRun, createFullAudit } from './jobs.ts'
import { type AuditDeps, createAuditService } from './service.ts'

export function createAuditorFeature(deps: AuditDeps & { jobs: Jobs }, lifecycle: Lifecycle) {
  const service = createAuditService(deps)
  const run = createAuditRun({ ...deps, service })
  const requestFull = createFullAudit({ ...deps, service })
  lifecycle.add({
    name: 'evidence/auditor',
    schedules: auditSchedules(run),
    hooks: { agentErased: service.erase },
    tables: {
      chain_audit: erasedWithAgent(),
    },
  })
  return { service, run, requestFull }
}
