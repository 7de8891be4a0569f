import type { Client } from '../client.ts'
import type { Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'
import { type GateOptions, reputationGate } from '../reputation-gate.ts'

/** Scores, their history and their proofs. */
export function reputationOf(client: Client) {
  const of = (agentId: string, call?: CallOptions) => ({ ...call, params: { agent_id: agentId } })
  return {
    get: (agentId: string, call?: CallOptions) =>
      client.request('GET', '/v1/reputation/{agent_id}', of(agentId, call)),
    history: (agentId: string, call?: CallOptions) =>
      client.request('GET', '/v1/reputation/{agent_id}/history', of(agentId, call)),
    verify: (agentId: string, call?: CallOptions) =>
      client.request('GET', '/v1/reputation/{agent_id}/verify', of(agentId, call)),
    /** All the evidence behind a score, line by line; unread, as it can be long. */
    bundle: (agentId: string, call?: CallOptions) =>
      client.raw('GET', '/v1/reputation/{agent_id}/bundle', {
        ...of(agentId, call),
        headers: { accept: 'application/x-ndjson', ...call?.headers },
      }),
    recompute: (agentId: string, call?: CallOptions) =>
      client.request('POST', '/v1/reputation/{agent_id}/recompute', of(agentId, call)),
    simulate: (
      agentId: string,
      body: Body<'POST', '/v1/reputation/{agent_id}/simulate'>,
      call?: CallOptions,
    ) => {
      const path = '/v1/reputation/{agent_id}/simulate'
      return client.request('POST', path, { ...of(agentId, call), body })
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
