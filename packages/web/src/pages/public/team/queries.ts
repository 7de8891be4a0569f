import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'

export type TeamReputation = Answer<'GET', '/v1/teams/{team_id}/reputation'>

export function useTeamReputation(teamId: string) {
  return useQuery({
    queryKey: ['team-reputation', teamId, useSession()?.email],
    queryFn: () =>
      api.request('GET', '/v1/teams/{team_id}/reputation', { params: { team_id: teamId } }),
  })
}

export function useTeamHistory(teamId: string) {
  return useQuery({
    queryKey: ['team-history', teamId],
    queryFn: () =>
      api.request('GET', '/v1/teams/{team_id}/reputation/history', { params: { team_id: teamId } }),
  })
}

export function useTeamProof(teamId: string) {
  return useQuery({
    queryKey: ['team-proof', teamId],
    queryFn: () =>
      api.request('GET', '/v1/teams/{team_id}/reputation/verify', { params: { team_id: teamId } }),
  })
}

/** Members and card are visible to the team's own organisation only. */
export function useRoster(teamId: string) {
  const session = useSession()
  return useQuery({
    queryKey: ['team', teamId, session?.email],
    enabled: session !== undefined,
    queryFn: () => api.request('GET', '/v1/teams/{team_id}', { params: { team_id: teamId } }),
  })
}

export function useTeamCard(teamId: string) {
  const session = useSession()
  return useQuery({
    queryKey: ['team-card', teamId, session?.email],
    enabled: session !== undefined,
    // Wrapped in an object, because a query must not resolve to undefined if there is no card.
    queryFn: async () => ({
      card:
        (await api.request('GET', '/v1/teams/{team_id}/card', { params: { team_id: teamId } })) ??
        null,
    }),
  })
}
