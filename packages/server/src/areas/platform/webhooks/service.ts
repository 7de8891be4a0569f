import type { Clock } from '../../../kernel/clock.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { type AttemptDeps, createAttempt } from './attempt-service.ts'
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

/** Endpoints, the log of deliveries, and the worker that sends them. */
export function createWebhookService(deps: WebhookDeps) {
  const secrets = createSecrets(deps.secrets)
  const fanOut = createFanOut(deps)
  const attempt = createAttempt({ ...deps, secrets })
  const parts = { ...deps, secrets, fanOut, attempt }
  const log = createLog(parts)
  deps.events.follow(fanOut.follow)
  return {
    service: {
      ...createEndpoints(parts),
      ...log,
      /** Deliveries that are not at their end. */
      queueDepth: (): Promise<number> => createQueueStore(deps.db).depth(),
    },
    log,
    worker: createDispatcher(parts),
  }
}
