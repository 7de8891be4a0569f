import type { Server } from '../../../http/server.ts'
import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { type RelayTracing, relayRoutes } from './routes.ts'
import { createRelayService, type RelayDeps } from './service.ts'
import { createUpstreamClient } from './upstream-client.ts'

export function createRelayFeature(
  deps: Omit<RelayDeps, 'upstream'> & { silentMsMax: number; trustedHops: number },
  lifecycle: Lifecycle,
) {
  const { silentMsMax, trustedHops } = deps
  const upstream = createUpstreamClient({ silentMsMax })
  const service = createRelayService({ ...deps, upstream })
  lifecycle.add({ name: 'gateway/relay', hooks: { stop: service.close } })
  return {
    /** Beside the API, because the guard knows neither the tokens nor the shape of the errors. */
    mount: (server: Server, tracing: RelayTracing | undefined): void =>
      relayRoutes(server, service, { silentMsMax, trustedHops, tracing }),
  }
}
