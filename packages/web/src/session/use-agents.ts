import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api } from './session.ts'
import { useOrgId } from './use-org-id.ts'

export type OwnAgent = Answer<'GET', '/v1/orgs/{org_id}/agents'>['agents'][number]

/** As many as one answer holds: what lists to choose from offer. */
const AGENTS_MAX = 100

/** The organisation's agents, to choose among them. */
export function useAgents() {
  const orgId = useOrgId()
  return useQuery({
    queryKey: ['agents', orgId, 'choice'],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/agents', {
        params: { org_id: orgId },
        query: { per_page: AGENTS_MAX },
      }),
  })
}
