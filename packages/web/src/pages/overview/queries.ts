import { useQueries, useQuery } from '@tanstack/react-query'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'

/**
 * Alerts and violations are fetched per agent, so only this many recently seen agents are covered.
 */
export const WATCHED_MAX = 12

const DAY_MS = 86_400_000
export const RECENT_DAYS = 7

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

/** Fetched per agent; if there may be more, the count is shown with a plus sign. */
const VIOLATIONS_MAX = 20

/** Violations of the last days that have not been reclassified. */
export function useRecentViolations(agentIds: readonly string[]) {
  return useQueries({
    queries: agentIds.map((agentId) => ({
      queryKey: ['violations', agentId, 'recent'],
      queryFn: async () => {
        const { violations } = await api.request('GET', '/v1/agents/{agent_id}/violations', {
          params: { agent_id: agentId },
          query: { status: 'open', verdict: 'boundary_violation', per_page: VIOLATIONS_MAX },
        })
        const since = Date.now() - RECENT_DAYS * DAY_MS
        const recent = violations.filter(({ detected_at: at }) => Date.parse(at) >= since)
        return {
          violations: recent.map((violation) => ({ ...violation, agentId })),
          hasMore: recent.length === VIOLATIONS_MAX,
        }
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

export function useLatestTraces(orgId: string) {
  return useQuery({
    queryKey: ['traces', 'latest', orgId],
    queryFn: () => api.request('GET', '/v1/traces', { query: { per_page: 8 }, ...forOrg(orgId) }),
  })
}
