import type { Client } from '../client.ts'
import type { Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'

const HOOK = '/v1/orgs/{org_id}/webhooks/{endpoint_id}'
const HOOKS = '/v1/orgs/{org_id}/webhooks'
const DELIVERIES = '/v1/orgs/{org_id}/webhooks/deliveries'

type ContainmentBody = Body<'POST', '/v1/orgs/{org_id}/agents/{agent_id}/pause'>

/** Stopping an agent and letting it go on. Killing is for owners who are signed in. */
export function containmentOf(client: Client) {
  const of = (orgId: string, agentId: string, call?: CallOptions) => ({
    ...call,
    params: { org_id: orgId, agent_id: agentId },
  })
  const path = '/v1/orgs/{org_id}/agents/{agent_id}'
  return {
    get: (orgId: string, agentId: string, call?: CallOptions) =>
      client.request('GET', `${path}/containment`, of(orgId, agentId, call)),
    pause: (orgId: string, agentId: string, body: ContainmentBody = {}, call?: CallOptions) =>
      client.request('POST', `${path}/pause`, { ...of(orgId, agentId, call), body }),
    resume: (orgId: string, agentId: string, body: ContainmentBody = {}, call?: CallOptions) =>
      client.request('POST', `${path}/resume`, { ...of(orgId, agentId, call), body }),
    kill: (orgId: string, agentId: string, body: ContainmentBody = {}, call?: CallOptions) =>
      client.request('POST', `${path}/kill`, { ...of(orgId, agentId, call), body }),
  }
}

/** Where events are sent, and what came of it. To check a delivery, see `verifyWebhook`. */
export function webhooksOf(client: Client) {
  const of = (orgId: string, call?: CallOptions) => ({ ...call, params: { org_id: orgId } })
  const ofOne = (orgId: string, endpointId: string, call?: CallOptions) => ({
    ...call,
    params: { org_id: orgId, endpoint_id: endpointId },
  })
  return {
    create: (orgId: string, body: Body<'POST', typeof HOOKS>, call?: CallOptions) =>
      client.request('POST', HOOKS, { ...of(orgId, call), body }),
    list: (orgId: string, call?: CallOptions) => client.request('GET', HOOKS, of(orgId, call)),
    get: (orgId: string, endpointId: string, call?: CallOptions) =>
      client.request('GET', HOOK, ofOne(orgId, endpointId, call)),
    update: (
      orgId: string,
      endpointId: string,
      body: Body<'PATCH', typeof HOOK>,
      call?: CallOptions,
    ) => client.request('PATCH', HOOK, { ...ofOne(orgId, endpointId, call), body }),
    remove: (orgId: string, endpointId: string, call?: CallOptions) =>
      client.request('DELETE', HOOK, ofOne(orgId, endpointId, call)),
    test: (orgId: string, endpointId: string, call?: CallOptions) =>
      client.request('POST', `${HOOK}/test`, ofOne(orgId, endpointId, call)),
    deliveries: (orgId: string, query?: Query<'GET', typeof DELIVERIES>, call?: CallOptions) =>
      items(client, DELIVERIES, { ...of(orgId, call), query }),
    redeliver: (orgId: string, deliveryId: string, call?: CallOptions) =>
      client.request('POST', '/v1/orgs/{org_id}/webhooks/deliveries/{delivery_id}/redeliver', {
        ...call,
        params: { org_id: orgId, delivery_id: deliveryId },
      }),
  }
}
