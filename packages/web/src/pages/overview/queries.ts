import { useQueries, useQuery } from '@tanstack/react-query'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { ACTIVITY_MAX } from './activity.ts'

/** The stream keeps only a few events, so the list is fetched again now and then. */
const REFETCH_MS = 30_000

const CONTAINED = ['paused', 'killed'] as const

/** The number of paused and killed agents, and the newest of them. */
export function useContained(orgId: string) {
  return useQueries({
    queries: CONTAINED.map((status) => ({
      queryKey: ['agents', orgId, { status }, 'contained'],
      queryFn: () =>
        api.request('GET', '/v1/orgs/{org_id}/agents', {
          params: { org_id: orgId },
          query: { status, per_page: 3 },
        }),
    })),
    combine: (results) => ({
      isPending: results.some((result) => result.isPending),
      error: results.find((result) => result.error)?.error ?? null,
      agents: results.flatMap((result) => result.data?.agents ?? []),
      total: results.reduce((sum, result) => sum + (result.data?.total ?? 0), 0),
    }),
  })
}

/** Without the id of the organisation alone in its key: the stream adds what is new. */
export function useRecentDecisions(orgId: string) {
  return useQuery({
    queryKey: ['overview', `activity of ${orgId}`],
    queryFn: () =>
      api.request('GET', '/v1/decisions', { query: { limit: ACTIVITY_MAX }, ...forOrg(orgId) }),
    refetchInterval: REFETCH_MS,
  })
}
