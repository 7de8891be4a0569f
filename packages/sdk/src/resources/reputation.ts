import type { Client } from '../client.ts'
import type { Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'
import { type GateOptions, reputationGate } from '../reputation-gate.ts'

/** Scores, their history and their proofs. */
export function createReputationApi(client: Client) {
  const forAgent = (agentId: string, call?: CallOptions) => ({
    ...call,
    params: { agent_id: agentId },
  })
  return {
    get: (agentId: string, call?: CallOptions) =>
      client.request('GET', '/v1/reputation/{agent_id}', forAgent(agentId, call)),
    history: (agentId: string, call?: CallOptions) =>
      client.request('GET', '/v1/reputation/{agent_id}/history', forAgent(agentId, call)),
    verify: (agentId: string, call?: CallOptions) =>
      client.request('GET', '/v1/reputation/{agent_id}/verify', forAgent(agentId, call)),
    /** All the evidence behind a score as NDJSON; an unread Response, because it can be large. */
    bundle: (agentId: string, call?: CallOptions) =>
      client.raw('GET', '/v1/reputation/{agent_id}/bundle', {
        ...forAgent(agentId, call),
        headers: { accept: 'application/x-ndjson', ...call?.headers },
      }),
    recompute: (agentId: string, call?: CallOptions) =>
      client.request('POST', '/v1/reputation/{agent_id}/recompute', forAgent(agentId, call)),
    simulate: (
      agentId: string,
      body: Body<'POST', '/v1/reputation/{agent_id}/simulate'>,
      call?: CallOptions,
    ) => {
      const path = '/v1/reputation/{agent_id}/simulate'
      return client.request('POST', path, { ...forAgent(agentId, call), body })
    },
    batch: (agentIds: string[], call?: CallOptions) =>
      client.request('POST', '/v1/reputation/batch', { ...call, body: { agent_ids: agentIds } }),
    compare: (agentIds: readonly string[], call?: CallOptions) => {
      const query = { agent_ids: agentIds.join(',') }
      return client.request('GET', '/v1/reputation/compare', { ...call, query })
    },
    search: (query?: Query<'GET', '/v1/reputation/search'>, call?: CallOptions) =>
      items(client, '/v1/reputation/search', { ...call, query }),
    benchmarks: (call?: CallOptions) =>
      client.request('GET', '/v1/reputation/benchmarks', { ...call }),
    gate: (options: GateOptions) => reputationGate(client, options),
  }
}
