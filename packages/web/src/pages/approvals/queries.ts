import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'

export type Escalation = Answer<'GET', '/v1/escalations'>['escalations'][number]
export type ReviewedEscalation = Answer<'GET', '/v1/escalations/{escalation_id}'>

export const escalationsKey = (orgId: string) => ['escalations', orgId] as const

export function useEscalations(
  orgId: string,
  query: { status: Escalation['status']; page?: number; per_page?: number },
) {
  return useQuery({
    queryKey: [...escalationsKey(orgId), query],
    queryFn: () => api.request('GET', '/v1/escalations', { ...forOrg(orgId), query }),
    placeholderData: keepPreviousData,
  })
}

/** One query for the count in the navigation and for the overview. */
export const usePendingEscalations = (orgId: string) =>
  useEscalations(orgId, { status: 'pending', per_page: 5 })

export function useEscalation(orgId: string, escalationId: string) {
  return useQuery({
    queryKey: [...escalationsKey(orgId), escalationId],
    queryFn: () =>
      api.request('GET', '/v1/escalations/{escalation_id}', {
        params: { escalation_id: escalationId },
      }),
  })
}

const PAST_MAX = 20

/** The latest escalations of the same agent and tool. */
export function usePastAnswers(
  orgId: string,
  { agent_id: agentId, tool }: Pick<Escalation, 'agent_id' | 'tool'>,
) {
  return useQuery({
    queryKey: [...escalationsKey(orgId), 'past', agentId, tool],
    queryFn: () =>
      api.request('GET', '/v1/escalations', {
        ...forOrg(orgId),
        query: { agent_id: agentId, tool, per_page: PAST_MAX },
      }),
  })
}
