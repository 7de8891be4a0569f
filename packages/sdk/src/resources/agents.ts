import type { Client } from '../client.ts'
import type { Answer, Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'

const ONE = '/v1/agents/{agent_id}'
const CARD = '/v1/agents/{agent_id}/card'
const MODE = '/v1/agents/{agent_id}/enforcement'

/** Agents, what they may do, and what becomes of their violations. */
export function agentsOf(client: Client) {
  const of = (agentId: string, call?: CallOptions) => ({ ...call, params: { agent_id: agentId } })
  return {
    create: (body: Body<'POST', '/v1/agents'>, call?: CallOptions) =>
      client.request('POST', '/v1/agents', { ...call, body }),
    get: (agentId: string, call?: CallOptions): Promise<Answer<'GET', typeof ONE>> =>
      client.request('GET', ONE, of(agentId, call)),
    list: (query?: Query<'GET', '/v1/agents'>, call?: CallOptions) =>
      items(client, '/v1/agents', { ...call, query }),
    update: (agentId: string, body: Body<'PATCH', typeof ONE>, call?: CallOptions) =>
      client.request('PATCH', ONE, { ...of(agentId, call), body }),
    archive: (agentId: string, call?: CallOptions) =>
      client.request('DELETE', ONE, of(agentId, call)),

    /** Versions matter here: give `If-Match` in the headers to replace only the one you have read. */
    getCard: (agentId: string, query?: Query<'GET', typeof CARD>, call?: CallOptions) =>
      client.request('GET', CARD, { ...of(agentId, call), query }),
    putCard: (agentId: string, body: Body<'PUT', typeof CARD>, call?: CallOptions) =>
      client.request('PUT', CARD, { ...of(agentId, call), body }),
    patchCard: (agentId: string, body: Body<'PATCH', typeof CARD>, call?: CallOptions) =>
      client.request('PATCH', CARD, { ...of(agentId, call), body }),

    getEnforcement: (agentId: string, call?: CallOptions) =>
      client.request('GET', MODE, of(agentId, call)),
    setEnforcement: (agentId: string, body: Body<'PUT', typeof MODE>, call?: CallOptions) =>
      client.request('PUT', MODE, { ...of(agentId, call), body }),

    violations: (
      agentId: string,
      query?: Query<'GET', '/v1/agents/{agent_id}/violations'>,
      call?: CallOptions,
    ) => items(client, '/v1/agents/{agent_id}/violations', { ...of(agentId, call), query }),
    reclassify: (
      agentId: string,
      body: Body<'POST', '/v1/agents/{agent_id}/reclassify'>,
      call?: CallOptions,
    ) => client.request('POST', '/v1/agents/{agent_id}/reclassify', { ...of(agentId, call), body }),
  }
}
