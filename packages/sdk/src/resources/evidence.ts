import type { Client } from '../client.ts'
import type { Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'

const CHECKPOINTS = '/v1/agents/{agent_id}/checkpoints'
const TRACES = '/v1/agents/{agent_id}/traces'

/** Analysed records of what agents thought and did, and their certificates. */
export function createCheckpointsApi(client: Client) {
  const forCheckpoint = (checkpointId: string, call?: CallOptions) => ({
    ...call,
    params: { checkpoint_id: checkpointId },
  })
  return {
    send: (agentId: string, body: Body<'POST', typeof CHECKPOINTS>, call?: CallOptions) =>
      client.request('POST', CHECKPOINTS, { ...call, params: { agent_id: agentId }, body }),
    sendBatch: (body: Body<'POST', '/v1/checkpoints/batch'>, call?: CallOptions) =>
      client.request('POST', '/v1/checkpoints/batch', { ...call, body }),
    list: (agentId: string, query?: Query<'GET', typeof CHECKPOINTS>, call?: CallOptions) =>
      items(client, CHECKPOINTS, { ...call, params: { agent_id: agentId }, query }),
    get: (checkpointId: string, call?: CallOptions) =>
      client.request('GET', '/v1/checkpoints/{checkpoint_id}', forCheckpoint(checkpointId, call)),
    certificate: (checkpointId: string, call?: CallOptions) =>
      client.request(
        'GET',
        '/v1/checkpoints/{checkpoint_id}/certificate',
        forCheckpoint(checkpointId, call),
      ),
  }
}

/** Reports of agents about their actions, verified against their cards. */
export function createTracesApi(client: Client) {
  return {
    send: (agentId: string, body: Body<'POST', typeof TRACES>, call?: CallOptions) =>
      client.request('POST', TRACES, { ...call, params: { agent_id: agentId }, body }),
    sendBatch: (body: Body<'POST', '/v1/traces/batch'>, call?: CallOptions) =>
      client.request('POST', '/v1/traces/batch', { ...call, body }),
    verify: (body: Body<'POST', '/v1/traces/verify'>, call?: CallOptions) =>
      client.request('POST', '/v1/traces/verify', { ...call, body }),
    list: (query?: Query<'GET', '/v1/traces'>, call?: CallOptions) =>
      items(client, '/v1/traces', { ...call, query }),
    get: (traceId: string, call?: CallOptions) =>
      client.request('GET', '/v1/traces/{trace_id}', { ...call, params: { trace_id: traceId } }),
  }
}
