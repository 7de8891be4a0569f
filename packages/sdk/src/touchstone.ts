import { type ClientOptions, createClient } from './client.ts'
import { agentsOf } from './resources/agents.ts'
import { checkpointsOf, tracesOf } from './resources/evidence.ts'
import { riskOf, teamsOf } from './resources/fleet.ts'
import { gatewayOf, transactionsOf } from './resources/gateway.ts'
import { containmentOf, webhooksOf } from './resources/organisation.ts'
import { policiesOf } from './resources/policies.ts'
import { reputationOf } from './resources/reputation.ts'

export type Touchstone = ReturnType<typeof createTouchstone>

/** The client, with a method for what programs ask for most; `request` reaches everything else. */
export function createTouchstone(options: ClientOptions) {
  const client = createClient(options)
  return {
    ...client,
    agents: agentsOf(client),
    checkpoints: checkpointsOf(client),
    containment: containmentOf(client),
    gateway: gatewayOf(client),
    policies: policiesOf(client),
    reputation: reputationOf(client),
    risk: riskOf(client),
    teams: teamsOf(client),
    traces: tracesOf(client),
    transactions: transactionsOf(client),
    webhooks: webhooksOf(client),
  }
}
