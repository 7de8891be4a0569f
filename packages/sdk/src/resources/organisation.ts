import type { Client } from '../client.ts'
import type { Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'

const HOOK = '/v1/orgs/{org_id}/webhooks/{endpoint_id}'
const HOOKS = '/v1/orgs/{org_id}/webhooks'
const DELIVERIES = '/v1/orgs/{org_id}/webhooks/deliveries'

type ContainmentBody = Body<'POST', '/v1/orgs/{org_id}/agents/{agent_id}/pause'>

/** Pauses, resumes and kills agents. Only a signed-in owner can kill one. */
export function createContainmentApi(client: Client) {
  const forAgent = (orgId: string, agentId: string, call?: CallOptions) => ({
    ...call,
    params: { org_id: orgId, agent_id: agentId },
  })
  const path = '/v1/orgs/{org_id}/agents/{agent_id}'
  return {
    get: (orgId: string, agentId: string, call?: CallOptions) =>
      client.request('GET', `${path}/containment`, forAgent(orgId, agentId, call)),
    pause: (orgId: string, agentId: string, body: ContainmentBody = {}, call?: CallOptions) =>
      client.request('POST', `${path}/pause`, { ...forAgent(orgId, agentId, call), body }),
    resume: (orgId: string, agentId: string, body: ContainmentBody = {}, call?: CallOptions) =>
      client.request('POST', `${path}/resume`, { ...forAgent(orgId, agentId, call), body }),
    kill: (orgId: string, agentId: string, body: ContainmentBody = {}, call?: CallOptions) =>
      client.request('POST', `${path}/kill`, { ...forAgent(orgId, agentId, call), body }),
  }
}

/** Webhook endpoints and their deliveries. To verify a delivery, see `verifyWebhook`. */
export function createWebhooksApi(client: Client) {
  const forOrg = (orgId: string, call?: CallOptions) => ({ ...call, params: { org_id: orgId } })
  const forEndpoint = (orgId: string, endpointId: string, call?: CallOptions) => ({
    ...call,
    params: { org_id: orgId, endpoint_id: endpointId },
  })
  return {
    create: (orgId: string, body: Body<'POST', typeof HOOKS>, call?: CallOptions) =>
      client.request('POST', HOOKS, { ...forOrg(orgId, call), body }),
    list: (orgId: string, call?: CallOptions) => client.request('GET', HOOKS, forOrg(orgId, call)),
    get: (orgId: string, endpointId: string, call?: CallOptions) =>
      client.request('GET', HOOK, forEndpoint(orgId, endpointId, call)),
    update: (
      orgId: string,
      endpointId: string,
      body: Body<'PATCH', typeof HOOK>,
      call?: CallOptions,
    ) => client.request('PATCH', HOOK, { ...forEndpoint(orgId, endpointId, call), body }),
    remove: (orgId: string, endpointId: string, call?: CallOptions) =>
      client.request('DELETE', HOOK, forEndpoint(orgId, endpointId, call)),
    test: (orgId: string, endpointId: string, call?: CallOptions) =>
      client.request('POST', `${HOOK}/test`, forEndpoint(orgId, endpointId, call)),
    deliveries: (orgId: string, query?: Query<'GET', typeof DELIVERIES>, call?: CallOptions) =>
      items(client, DELIVERIES, { ...forOrg(orgId, call), query }),
    redeliver: (orgId: string, deliveryId: string, call?: CallOptions) =>
      client.request('POST', '/v1/orgs/{org_id}/webhooks/deliveries/{delivery_id}/redeliver', {
        ...call,
        params: { org_id: orgId, delivery_id: deliveryId },
      }),
  }
}
