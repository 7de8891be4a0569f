import type { Client } from '../client.ts'
import type { Body, CallOptions } from '../operation.ts'
import { items } from '../pages.ts'

const AGENT = '/v1/agents/{agent_id}/policy'
const ORG = '/v1/orgs/{org_id}/policy'

/** Policies are sent as objects or as YAML strings. */
export function createPoliciesApi(client: Client) {
  const forAgent = (agentId: string, call?: CallOptions) => ({
    ...call,
    params: { agent_id: agentId },
  })
  const forOrg = (orgId: string, call?: CallOptions) => ({ ...call, params: { org_id: orgId } })
  return {
    get: (agentId: string, call?: CallOptions) =>
      client.request('GET', AGENT, forAgent(agentId, call)),
    put: (agentId: string, body: Body<'PUT', typeof AGENT>, call?: CallOptions) =>
      client.request('PUT', AGENT, { ...forAgent(agentId, call), body }),
    remove: (agentId: string, call?: CallOptions) =>
      client.request('DELETE', AGENT, forAgent(agentId, call)),
    history: (agentId: string, call?: CallOptions) =>
      items(client, '/v1/agents/{agent_id}/policy/history', forAgent(agentId, call)),
    resolved: (agentId: string, call?: CallOptions) =>
      client.request('GET', '/v1/agents/{agent_id}/policy/resolved', forAgent(agentId, call)),

    getOfOrg: (orgId: string, call?: CallOptions) =>
      client.request('GET', ORG, forOrg(orgId, call)),
    putOfOrg: (orgId: string, body: Body<'PUT', typeof ORG>, call?: CallOptions) =>
      client.request('PUT', ORG, { ...forOrg(orgId, call), body }),

    validate: (body: Body<'POST', '/v1/policies/validate'>, call?: CallOptions) =>
      client.request('POST', '/v1/policies/validate', { ...call, body }),
    evaluate: (body: Body<'POST', '/v1/policies/evaluate'>, call?: CallOptions) =>
      client.request('POST', '/v1/policies/evaluate', { ...call, body }),
    evaluateHistory: (body: Body<'POST', '/v1/policies/evaluate/historical'>, call?: CallOptions) =>
      client.request('POST', '/v1/policies/evaluate/historical', { ...call, body }),
    impact: (body: Body<'POST', '/v1/policies/impact'>, call?: CallOptions) =>
      client.request('POST', '/v1/policies/impact', { ...call, body }),
    learn: (body: Body<'POST', '/v1/policies/learn'>, call?: CallOptions) =>
      client.request('POST', '/v1/policies/learn', { ...call, body }),
  }
}
