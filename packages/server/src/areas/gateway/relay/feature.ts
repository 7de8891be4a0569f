import type { Server } from '../../../http/server.ts'
import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { createBodyRoom } from './body-room-service.ts'
import { type RelayTracing, relayRoutes } from './routes.ts'
import { createRelayService, type RelayDeps } from './service.ts'
import { createUpstreamClient } from './upstream-client.ts'

/** Four of the largest bodies for an organisation, and sixteen for a process. */
const ROOM = { bytes: 512 * 1024 * 1024, bytesOfOwner: 128 * 1024 * 1024 }

export function createRelayFeature(
  deps: Omit<RelayDeps, 'upstream' | 'room'> & { silentMsMax: number; trustedHops: number },
  lifecycle: Lifecycle,
) {
  const { silentMsMax, trustedHops } = deps
  const upstream = createUpstreamClient({ silentMsMax })
  const service = createRelayService({ ...deps, upstream, room: createBodyRoom(ROOM) })
  lifecycle.add({ name: 'gateway/relay', hooks: { stop: service.close } })
  return {
    /** Beside the API, because the guard knows neither the tokens nor the shape of the errors. */
    mount: (server: Server, tracing: RelayTracing | undefined): void =>
      relayRoutes(server, service, { silentMsMax, trustedHops, tracing }),
  }
}
