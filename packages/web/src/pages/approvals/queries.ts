import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'

export type Escalation = Answer<'GET', '/v1/escalations'>['escalations'][number]

export const escalationsKey = (orgId: string) => ['escalations', orgId] as const

export function useEscalations(
  orgId: string,
  query: { status: Escalation['status'] | undefined; page: number },
) {
  return useQuery({
    queryKey: [...escalationsKey(orgId), query],
    queryFn: () => api.request('GET', '/v1/escalations', { ...forOrg(orgId), query }),
    placeholderData: keepPreviousData,
  })
}
