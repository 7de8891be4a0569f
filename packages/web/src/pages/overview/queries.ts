import { useQueries, useQuery } from '@tanstack/react-query'
import { boundsOf, type TimeRange, writeTimeRange } from '../../range/time-range.ts'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { ACTIVITY_MAX } from './activity.ts'
import { VIOLATIONS_MAX, violationsIn } from './violations-in.ts'

/**
 * Alerts and violations are fetched per agent, so only this many recently seen agents are covered.
 */
export const WATCHED_MAX = 12

/** The stream keeps only a few events, so the list is fetched again now and then. */
const REFETCH_MS = 30_000

export function usePendingEscalations(orgId: string) {
  return useQuery({
    queryKey: ['escalations', orgId, 'pending'],
    queryFn: () =>
      api.request('GET', '/v1/escalations', {
        query: { status: 'pending', per_page: 5 },
        ...forOrg(orgId),
      }),
  })
}

export function useOpenDrift(agentIds: readonly string[]) {
  return useQueries({
    queries: agentIds.map((agentId) => ({
      queryKey: ['drift', agentId, { status: 'open' }],
      queryFn: () =>
        api.request('GET', '/v1/agents/{agent_id}/drift', {
          params: { agent_id: agentId },
          query: { status: 'open' as const, per_page: 5 },
        }),
    })),
    combine: (results) => ({
      isPending: results.some((result) => result.isPending),
      error: results.find((result) => result.error)?.error ?? null,
      alerts: results.flatMap((result) => result.data?.alerts ?? []),
      total: results.reduce((sum, result) => sum + (result.data?.total ?? 0), 0),
    }),
  })
}

/** Violations of the range that have not been reclassified. */
export function useRecentViolations(agentIds: readonly string[], range: TimeRange) {
  return useQueries({
    queries: agentIds.map((agentId) => ({
      queryKey: ['violations', agentId, 'recent', writeTimeRange(range)],
      queryFn: async () => {
        const { violations } = await api.request('GET', '/v1/agents/{agent_id}/violations', {
          params: { agent_id: agentId },
          query: { status: 'open', verdict: 'boundary_violation', per_page: VIOLATIONS_MAX },
        })
        const own = violations.map((violation) => ({ ...violation, agentId }))
        return violationsIn(own, boundsOf(range, new Date()))
      },
    })),
    combine: (results) => ({
      isPending: results.some((result) => result.isPending),
      error: results.find((result) => result.error)?.error ?? null,
      hasMore: results.some((result) => result.data?.hasMore),
      violations: results
        .flatMap((result) => result.data?.violations ?? [])
        .sort((a, b) => b.detected_at.localeCompare(a.detected_at)),
    }),
  })
}

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
