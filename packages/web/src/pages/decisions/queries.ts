import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import type { DecisionSearch } from './search.ts'

export type Decision = Answer<'GET', '/v1/decisions/{decision_id}'>

const ROWS_PER_PAGE = 50

/** While a list is live, it is also fetched again, because the stream keeps only a few events. */
const LIVE_REFETCH_MS = 5_000

export function useDecisions(orgId: string, search: DecisionSearch, isLive: boolean) {
  return useQuery({
    queryKey: ['decisions', orgId, search],
    queryFn: () =>
      api.request('GET', '/v1/decisions', {
        ...forOrg(orgId),
        query: { ...search, limit: ROWS_PER_PAGE },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? LIVE_REFETCH_MS : false,
  })
}

const STATS_REFETCH_MS = 60_000

/** Counts by decision in the last 24 hours, which is the default range. */
export function useDecisionStats(orgId: string) {
  return useQuery({
    queryKey: ['decision-stats', orgId],
    queryFn: () =>
      api.request('GET', '/v1/decisions/stats', {
        ...forOrg(orgId),
        query: { interval: 'hour', group_by: 'decision' },
      }),
    refetchInterval: STATS_REFETCH_MS,
  })
}

const LATEST = 6

export function useLatestDecisions(orgId: string, agentId: string) {
  return useQuery({
    queryKey: ['decisions', orgId, agentId, 'latest'],
    queryFn: () =>
      api.request('GET', '/v1/decisions', {
        ...forOrg(orgId),
        query: { agent_id: agentId, limit: LATEST },
      }),
  })
}

/** The agent's newest bypass: a refused call that was made anyway. */
export function useBypass(orgId: string, agentId: string) {
  return useQuery({
    queryKey: ['decisions', orgId, agentId, 'bypassed'],
    queryFn: () =>
      api.request('GET', '/v1/decisions', {
        ...forOrg(orgId),
        query: { agent_id: agentId, outcome: 'bypassed', limit: 1 },
      }),
  })
}

export function useDecision(orgId: string, decisionId: string) {
  return useQuery({
    queryKey: ['decision', orgId, decisionId],
    queryFn: () =>
      api.request('GET', '/v1/decisions/{decision_id}', {
        ...forOrg(orgId),
        params: { decision_id: decisionId },
      }),
  })
}
