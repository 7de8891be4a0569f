import { useQuery } from '@tanstack/react-query'
import { fetchAllPages } from './fetch-all-pages.ts'
import { api } from './session.ts'

/** The organisation's active teams, for selection lists. */
export function useActiveTeams(orgId: string) {
  return useQuery({
    queryKey: ['teams', orgId, 'choice'],
    queryFn: async () => {
      const read = (page: number) =>
        api.request('GET', '/v1/orgs/{org_id}/teams', {
          params: { org_id: orgId },
          query: { status: 'active', page, per_page: 200 },
        })
      return (await fetchAllPages(read, (found) => found.teams)).rows
    },
  })
}
