import { createConnectionFeature } from '../areas/gateway/connections/feature.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Built = {
  platform: ReturnType<typeof createPlatform>
  evidence: ReturnType<typeof createEvidence>
}

/** The model gateway: connections of agents to their model providers. */
export function createModelGateway(kernel: Kernel, { platform, evidence }: Built) {
  const { config, db, clock, lifecycle, log, notices, secrets } = kernel
  const connections = createConnectionFeature(
    {
      db,
      clock,
      audit: platform.audit.service,
      notices,
      secrets,
      agents: evidence.agents.service,
      baseUrl: config.baseUrl,
      upstreams: config.modelGateway.upstreams,
      onError: (err) => log.error({ err }, 'noting the last use of a connection failed'),
    },
    lifecycle,
  )
  return { connections }
}
