import { erasedWithAgent, erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { channelRoutes } from './channel-routes.ts'
import { approvalRoutes } from './routes.ts'
import { type ApprovalDeps, createApprovalService } from './service.ts'

/** Arguments are deleted on time, not with the daily purge. */
const HOURLY = '20 * * * *'

export function createApprovalFeature(deps: ApprovalDeps, lifecycle: Lifecycle) {
  const service = createApprovalService(deps)
  lifecycle.add({
    name: 'governance/approvals',
    routes(app) {
      approvalRoutes(app, service)
      channelRoutes(app, service.channels)
    },
    hooks: { agentErased: service.erase, orgErased: service.channels.erase },
    purges: [{ name: 'escalations', run: service.purge }],
    schedules: [
      {
        name: 'escalation arguments',
        cron: HOURLY,
        run: async (firedAt) => void (await service.purgeArguments(firedAt)),
      },
    ],
    tables: {
      escalation: erasedWithAgent({ purged: '90 days after it is resolved or expires' }),
      approval_channel: erasedWithOrg(),
    },
  })
  return { service }
}
