import type { Server } from '../../../http/server.ts'
import { handleWebhookJobs, type WebhookJobDeps } from './jobs.ts'
import { webhookRoutes } from './routes.ts'
import { createWebhookService, type WebhookDeps } from './service.ts'

export function createWebhookFeature(deps: WebhookDeps & WebhookJobDeps) {
  const { service, log, worker } = createWebhookService(deps)
  handleWebhookJobs(deps, log)
  return { service, worker, mount: (app: Server) => webhookRoutes(app, service) }
}
