import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { PolicyDocument } from '@touchstone/protocol/policy'
import type { Answer } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { fetchHistory, fetchPolicy, fetchVersion, nullIfNotFound, type Owner } from './owner.ts'
import { mayHavePolicy } from './policy-owners.ts'
import type { PolicyLayers } from './rule-origin.ts'

export type Impact = Answer<'POST', '/v1/policies/impact'>
export type StoredEvaluation = Answer<
  'GET',
  '/v1/agents/{agent_id}/policy-evaluations'
>['evaluations'][number]

export const policyKey = ({ kind, id }: Owner) => ['policy', kind, id] as const

/** The policy's text; null if there is none. */
export function usePolicy(owner: Owner) {
  const orgId = useOrgId()
  return useQuery({
    queryKey: [...policyKey(owner), 'text'],
    queryFn: async ({ client }) =>
      (await mayHavePolicy(client, orgId, { ids: [owner.id], when: 'current' }))
        ? nullIfNotFound(fetchPolicy(owner))
        : null,
  })
}

/** The policy's versions; empty if there never was a policy. */
export function usePolicyHistory(owner: Owner, page: number) {
  const orgId = useOrgId()
  return useQuery({
    queryKey: [...policyKey(owner), 'history', page],
    queryFn: async ({ client }) => {
      const known = await mayHavePolicy(client, orgId, { ids: [owner.id], when: 'ever' })
      const history = known ? await nullIfNotFound(fetchHistory(owner, { page })) : null
      return history ?? { versions: [], total: 0, page: 1, per_page: 20 }
    },
    placeholderData: keepPreviousData,
  })
}

/** The text of a version, cached forever because versions are immutable; empty without a number. */
export function usePolicyVersion(owner: Owner, version: number | undefined) {
  return useQuery({
    queryKey: [...policyKey(owner), 'version', version],
    queryFn: () => (version === undefined ? '' : fetchVersion(owner, version)),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The organisation's policy document; null if it has none. */
export function useOrgDocument(orgId: string) {
  return useQuery({
    queryKey: ['policy', 'org', orgId, 'document'],
    queryFn: async ({ client }) =>
      (await mayHavePolicy(client, orgId, { ids: [orgId], when: 'current' }))
        ? nullIfNotFound(
            api.request('GET', '/v1/orgs/{org_id}/policy', { params: { org_id: orgId } }),
          )
        : null,
  })
}

export type Resolved = Answer<'GET', '/v1/agents/{agent_id}/policy/resolved'>

/** The agent's effective policy; null if no policy applies to it. */
export function useResolvedPolicy(orgId: string, agentId: string) {
  return useQuery({
    queryKey: ['policy', 'agent', agentId, 'resolved'],
    queryFn: async ({ client }) =>
      (await mayHavePolicy(client, orgId, { ids: [orgId, agentId], when: 'current' }))
        ? nullIfNotFound(
            api.request('GET', '/v1/agents/{agent_id}/policy/resolved', {
              params: { agent_id: agentId },
            }),
          )
        : null,
  })
}

/** The documents that the agent's effective policy is merged from. */
export function usePolicyLayers(orgId: string, agentId: string) {
  return useQuery({
    queryKey: ['policy', 'agent', agentId, 'layers', orgId],
    queryFn: async ({ client }): Promise<PolicyLayers> => {
      const has = (id: string) => mayHavePolicy(client, orgId, { ids: [id], when: 'current' })
      const [org, agent] = await Promise.all([
        (await has(orgId))
          ? nullIfNotFound(
              api.request('GET', '/v1/orgs/{org_id}/policy', { params: { org_id: orgId } }),
            )
          : null,
        (await has(agentId))
          ? nullIfNotFound(
              api.request('GET', '/v1/agents/{agent_id}/policy', { params: { agent_id: agentId } }),
            )
          : null,
      ])
      return { org, agent }
    },
  })
}

export type ImpactRequest = { orgId: string; owner: Owner; policy: PolicyDocument; days: number }

export function useImpact({ orgId, owner, policy, days }: ImpactRequest) {
  return useQuery({
    queryKey: [...policyKey(owner), 'impact', days, JSON.stringify(policy)],
    queryFn: () =>
      api.request('POST', '/v1/policies/impact', {
        ...forOrg(orgId),
        body: { policy, days, ...(owner.kind === 'agent' ? { agent_id: owner.id } : {}) },
      }),
    // The API estimates impact for policies on calls; a team's policy applies to transactions only.
    enabled: owner.kind !== 'team',
    staleTime: 60_000,
  })
}

export function useEvaluations(
  agentId: string,
  query: { verdict: StoredEvaluation['verdict'] | undefined; page: number },
) {
  return useQuery({
    queryKey: ['policy-evaluations', agentId, query],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/policy-evaluations', {
        params: { agent_id: agentId },
        query: { ...query, per_page: 10 },
      }),
    placeholderData: keepPreviousData,
  })
}
