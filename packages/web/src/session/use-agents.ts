import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { fetchAllPages } from './fetch-all-pages.ts'
import { api } from './session.ts'
import { useOrgId } from './use-org-id.ts'

export type OwnAgent = Answer<'GET', '/v1/orgs/{org_id}/agents'>['agents'][number]

/** The largest page the API returns. */
const PER_PAGE = 100

/** The organisation's agents, for selection lists. */
export function useAgents() {
  const orgId = useOrgId()
  return useQuery({
    queryKey: ['agents', orgId, 'choice'],
    queryFn: async () => {
      const read = (page: number) =>
        api.request('GET', '/v1/orgs/{org_id}/agents', {
          params: { org_id: orgId },
          query: { page, per_page: PER_PAGE },
        })
      const { rows: agents, total } = await fetchAllPages(read, (found) => found.agents)
      return { agents, total }
    },
  })
}
