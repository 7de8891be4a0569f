import type { Client } from '../client.ts'
import type { Body, CallOptions } from '../operation.ts'

const ALL = '/v1/agents/{agent_id}/connections'
const ONE = '/v1/agents/{agent_id}/connections/{connection_id}'
const ROTATE = '/v1/agents/{agent_id}/connections/{connection_id}/rotate'

/** An agent's connections to model providers. Tokens are in the answers of create and rotate only. */
export function createConnectionsApi(client: Client) {
  const forAgent = (agentId: string, call?: CallOptions) => ({
    ...call,
    params: { agent_id: agentId },
  })
  const forOne = (agentId: string, connectionId: string, call?: CallOptions) => ({
    ...call,
    params: { agent_id: agentId, connection_id: connectionId },
  })
  return {
    create: (agentId: string, body: Body<'POST', typeof ALL>, call?: CallOptions) =>
      client.request('POST', ALL, { ...forAgent(agentId, call), body }),
    list: (agentId: string, call?: CallOptions) =>
      client.request('GET', ALL, forAgent(agentId, call)),
    get: (agentId: string, connectionId: string, call?: CallOptions) =>
      client.request('GET', ONE, forOne(agentId, connectionId, call)),
    update: (
      agentId: string,
      connectionId: string,
      body: Body<'PATCH', typeof ONE>,
      call?: CallOptions,
    ) => client.request('PATCH', ONE, { ...forOne(agentId, connectionId, call), body }),
    rotate: (
      agentId: string,
      connectionId: string,
      body: Body<'POST', typeof ROTATE> = {},
      call?: CallOptions,
    ) => client.request('POST', ROTATE, { ...forOne(agentId, connectionId, call), body }),
    revoke: (agentId: string, connectionId: string, call?: CallOptions) =>
      client.request('DELETE', ONE, forOne(agentId, connectionId, call)),
  }
}
