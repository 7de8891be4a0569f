import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { PolicyDocument } from '@touchstone/protocol'
import type { Answer } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { fetchHistory, fetchPolicy, fetchVersion, isNotFound, type Owner } from './owner.ts'

export type Impact = Answer<'POST', '/v1/policies/impact'>
export type StoredEvaluation = Answer<
  'GET',
  '/v1/agents/{agent_id}/policy-evaluations'
>['evaluations'][number]

export const policyKey = ({ kind, id }: Owner) => ['policy', kind, id] as const

export function usePolicy(owner: Owner) {
  return useQuery({
    queryKey: [...policyKey(owner), 'text'],
    queryFn: () => fetchPolicy(owner),
  })
}

export function useHistory(owner: Owner, page: number) {
  return useQuery({
    queryKey: [...policyKey(owner), 'history', page],
    queryFn: () => fetchHistory(owner, { page }),
    placeholderData: keepPreviousData,
  })
}

/** A version never changes; none is asked for where there is no number. */
export function useVersion(owner: Owner, version: number | undefined) {
  return useQuery({
    queryKey: [...policyKey(owner), 'version', version],
    queryFn: () => (version === undefined ? '' : fetchVersion(owner, version)),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The organisation's document; null where it has none. */
export function useOrgDocument(orgId: string) {
  return useQuery({
    queryKey: ['policy', 'org', orgId, 'document'],
    queryFn: async () => {
      try {
        return await api.request('GET', '/v1/orgs/{org_id}/policy', { params: { org_id: orgId } })
      } catch (err) {
        if (isNotFound(err)) return null
        throw err
      }
    },
  })
}

/** What an agent is held to; null where nothing is laid down. */
export function useResolved(agentId: string) {
  return useQuery({
    queryKey: ['policy', 'agent', agentId, 'resolved'],
    queryFn: async () => {
      try {
        return await api.request('GET', '/v1/agents/{agent_id}/policy/resolved', {
          params: { agent_id: agentId },
        })
      } catch (err) {
        if (isNotFound(err)) return null
        throw err
      }
    },
  })
}

export type ImpactAsk = { orgId: string; owner: Owner; policy: PolicyDocument; days: number }

export function useImpact({ orgId, owner, policy, days }: ImpactAsk) {
  return useQuery({
    queryKey: [...policyKey(owner), 'impact', days, JSON.stringify(policy)],
    queryFn: () =>
      api.request('POST', '/v1/policies/impact', {
        ...forOrg(orgId),
        body: { policy, days, ...(owner.kind === 'agent' ? { agent_id: owner.id } : {}) },
      }),
    // The API knows the impact of what binds every call; a team's policy binds transactions.
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
