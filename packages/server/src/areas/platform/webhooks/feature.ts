import { erasedWithOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import { handleWebhookJobs, type WebhookJobDeps } from './jobs.ts'
import { webhookRoutes } from './routes.ts'
import { createWebhookService, type WebhookDeps } from './service.ts'

export function createWebhookFeature(deps: WebhookDeps & WebhookJobDeps, lifecycle: Lifecycle) {
  const { service, channels, log, worker } = createWebhookService(deps)
  handleWebhookJobs(deps, log)
  lifecycle.add({
    name: 'platform/webhooks',
    routes: (app) => webhookRoutes(app, service),
    hooks: {
      serve: worker.start,
      drain: worker.stop,
      // After the agents: a writer of events locks the agent before the endpoints.
      orgClosed: { run: service.close, after: ['evidence/agents'] },
      orgReopened: { run: service.reopen, after: ['evidence/agents'] },
      orgErased: { run: service.erase, after: ['evidence/agents'] },
    },
    purges: [{ name: 'webhook deliveries', run: service.purge }],
    gauges: [
      {
        name: 'touchstone_webhook_queue_depth',
        help: 'Deliveries not at their end.',
        read: service.queueDepth,
      },
    ],
    tables: {
      webhook_endpoint: erasedWithOrg(),
      webhook_message: erasedWithOrg({ purged: '30 days' }),
      webhook_delivery: erasedWithOrg({ exported: 'deliveries', purged: '30 days' }),
    },
  })
  return { service, channels, worker }
}
