import type { Client } from '../client.ts'
import type { Answer, Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'

const ONE = '/v1/agents/{agent_id}'
const CARD = '/v1/agents/{agent_id}/card'
const MODE = '/v1/agents/{agent_id}/enforcement'

/** Agents, their cards, enforcement modes and violations. */
export function createAgentsApi(client: Client) {
  const forAgent = (agentId: string, call?: CallOptions) => ({
    ...call,
    params: { agent_id: agentId },
  })
  return {
    create: (body: Body<'POST', '/v1/agents'>, call?: CallOptions) =>
      client.request('POST', '/v1/agents', { ...call, body }),
    get: (agentId: string, call?: CallOptions): Promise<Answer<'GET', typeof ONE>> =>
      client.request('GET', ONE, forAgent(agentId, call)),
    list: (query?: Query<'GET', '/v1/agents'>, call?: CallOptions) =>
      items(client, '/v1/agents', { ...call, query }),
    update: (agentId: string, body: Body<'PATCH', typeof ONE>, call?: CallOptions) =>
      client.request('PATCH', ONE, { ...forAgent(agentId, call), body }),
    archive: (agentId: string, call?: CallOptions) =>
      client.request('DELETE', ONE, forAgent(agentId, call)),

    /** Cards are versioned: send `If-Match` to replace only the version you have read. */
    getCard: (agentId: string, query?: Query<'GET', typeof CARD>, call?: CallOptions) =>
      client.request('GET', CARD, { ...forAgent(agentId, call), query }),
    putCard: (agentId: string, body: Body<'PUT', typeof CARD>, call?: CallOptions) =>
      client.request('PUT', CARD, { ...forAgent(agentId, call), body }),
    patchCard: (agentId: string, body: Body<'PATCH', typeof CARD>, call?: CallOptions) =>
      client.request('PATCH', CARD, { ...forAgent(agentId, call), body }),

    getEnforcement: (agentId: string, call?: CallOptions) =>
      client.request('GET', MODE, forAgent(agentId, call)),
    setEnforcement: (agentId: string, body: Body<'PUT', typeof MODE>, call?: CallOptions) =>
      client.request('PUT', MODE, { ...forAgent(agentId, call), body }),

    violations: (
      agentId: string,
      query?: Query<'GET', '/v1/agents/{agent_id}/violations'>,
      call?: CallOptions,
    ) => items(client, '/v1/agents/{agent_id}/violations', { ...forAgent(agentId, call), query }),
    reclassify: (
      agentId: string,
      body: Body<'POST', '/v1/agents/{agent_id}/reclassify'>,
      call?: CallOptions,
    ) =>
      client.request('POST', '/v1/agents/{agent_id}/reclassify', {
        ...forAgent(agentId, call),
        body,
      }),
  }
}
