import { type ClientOptions, createClient } from './client.ts'
import { createAgentsApi } from './resources/agents.ts'
import { createConnectionsApi } from './resources/connections.ts'
import { createDecisionsApi } from './resources/decisions.ts'
import { createCheckpointsApi, createTracesApi } from './resources/evidence.ts'
import { createRiskApi, createTeamsApi } from './resources/fleet.ts'
import { createGatewayApi, createTransactionsApi } from './resources/gateway.ts'
import { createEvidencePacksApi } from './resources/log.ts'
import { createContainmentApi, createWebhooksApi } from './resources/organisation.ts'
import { createPoliciesApi } from './resources/policies.ts'
import { createReputationApi } from './resources/reputation.ts'

export type Touchstone = ReturnType<typeof createTouchstone>

/** The client with methods for the most common operations; `request` covers the rest of the API. */
export function createTouchstone(options: ClientOptions) {
  const client = createClient(options)
  return {
    ...client,
    agents: createAgentsApi(client),
    checkpoints: createCheckpointsApi(client),
    connections: createConnectionsApi(client),
    containment: createContainmentApi(client),
    decisions: createDecisionsApi(client),
    evidencePacks: createEvidencePacksApi(client),
    gateway: createGatewayApi(client),
    policies: createPoliciesApi(client),
    reputation: createReputationApi(client),
    risk: createRiskApi(client),
    teams: createTeamsApi(client),
    traces: createTracesApi(client),
    transactions: createTransactionsApi(client),
    webhooks: createWebhooksApi(client),
  }
}
