import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'

type History = Answer<'GET', '/v1/on-chain/history'>
export type Anchor = History['anchors'][number]
export type Publication = History['publications'][number]

export const chainKey = (orgId: string) => ['chain', orgId] as const

export function useContracts() {
  return useQuery({
    queryKey: ['chain-contracts'],
    queryFn: () => api.request('GET', '/v1/on-chain/contracts'),
  })
}

export function useChainHealth() {
  return useQuery({
    queryKey: ['chain-health'],
    queryFn: () => api.request('GET', '/health/ready'),
  })
}

export function useChainHistory(orgId: string, page: number) {
  return useQuery({
    queryKey: [...chainKey(orgId), 'history', page],
    queryFn: () =>
      api.request('GET', '/v1/on-chain/history', { ...forOrg(orgId), query: { page } }),
    placeholderData: keepPreviousData,
  })
}

export function useOnChainStatus(orgId: string, agentId: string) {
  return useQuery({
    queryKey: [...chainKey(orgId), 'status', agentId],
    queryFn: () =>
      api.request('GET', '/v1/on-chain/status/{agent_id}', {
        ...forOrg(orgId),
        params: { agent_id: agentId },
      }),
    enabled: agentId !== '',
  })
}
