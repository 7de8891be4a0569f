import type { Clock } from '../../../kernel/clock.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { type AttemptDeps, createAttempt } from './attempt-service.ts'
import { createChannels } from './channel-service.ts'
import { createDispatcher, type DispatchDeps } from './dispatch-service.ts'
import { createEndpoints, type EndpointDeps } from './endpoint-service.ts'
import { createFanOut } from './fan-out-service.ts'
import { createLog, type LogDeps } from './log-service.ts'
import type { Plans } from './ports.ts'
import { createQueueStore } from './queue-store.ts'
import { createSecrets } from './secret-service.ts'

type Built = 'fanOut' | 'attempt' | 'secrets'

export type WebhookDeps = Omit<EndpointDeps & LogDeps & DispatchDeps & AttemptDeps, Built> & {
  clock: Clock
  secrets: SecretBox
  plans: Plans
}

export type WebhookService = ReturnType<typeof createWebhookService>['service']

/** Endpoints, the delivery log, and the worker that sends deliveries. */
export function createWebhookService(deps: WebhookDeps) {
  const secrets = createSecrets(deps.secrets)
  const fanOut = createFanOut(deps)
  const attempt = createAttempt({ ...deps, secrets })
  const parts = { ...deps, secrets, fanOut, attempt }
  const endpoints = createEndpoints(parts)
  const log = createLog(parts)
  deps.events.subscribe(fanOut.enqueue)
  return {
    service: {
      create: endpoints.create,
      list: endpoints.list,
      get: endpoints.get,
      update: endpoints.update,
      rotate: endpoints.rotate,
      delete: endpoints.delete,
      close: endpoints.close,
      reopen: endpoints.reopen,
      erase: endpoints.erase,

      deliveries: log.deliveries,
      delivery: log.delivery,
      redeliver: log.redeliver,
      test: log.test,
      requestReplay: log.requestReplay,
      purge: log.purge,

      /** Number of unfinished deliveries. */
      queueDepth: (): Promise<number> => createQueueStore(deps.db).depth(),
    },
    channels: createChannels(parts),
    log,
    worker: createDispatcher(parts),
  }
}
