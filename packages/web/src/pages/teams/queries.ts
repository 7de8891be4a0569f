import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'

export type Team = Answer<'GET', '/v1/orgs/{org_id}/teams'>['teams'][number]
export type Member = Answer<'GET', '/v1/teams/{team_id}'>['members'][number]
export type FaultLines = Answer<'POST', '/v1/teams/fault-lines'>
export type FaultLine = FaultLines['fault_lines'][number]
export type Forecast = Answer<'POST', '/v1/teams/forecast'>
export type Recommendation = Answer<'POST', '/v1/teams/recommend-policy'>

export const teamsKey = (orgId: string) => ['teams', orgId] as const
export const teamKey = (teamId: string) => ['team', teamId] as const

export function useTeams(orgId: string, query: { status: Team['status']; page: number }) {
  return useQuery({
    queryKey: [...teamsKey(orgId), query],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/teams', { params: { org_id: orgId }, query }),
    placeholderData: keepPreviousData,
  })
}

export function useTeam(teamId: string) {
  return useQuery({
    queryKey: [...teamKey(teamId), 'roster'],
    queryFn: () => api.request('GET', '/v1/teams/{team_id}', { params: { team_id: teamId } }),
  })
}

export function useTeamReputation(teamId: string) {
  return useQuery({
    queryKey: [...teamKey(teamId), 'reputation'],
    queryFn: () =>
      api.request('GET', '/v1/teams/{team_id}/reputation', { params: { team_id: teamId } }),
  })
}

export function useRosterHistory(teamId: string) {
  return useQuery({
    queryKey: [...teamKey(teamId), 'roster-history'],
    queryFn: () =>
      api.request('GET', '/v1/teams/{team_id}/roster-history', {
        params: { team_id: teamId },
        query: { per_page: 10 },
      }),
  })
}

/** The coherence of these agents, pair by pair. */
export function useCoherence(orgId: string, agentIds: readonly string[]) {
  return useQuery({
    queryKey: ['coherence', orgId, agentIds],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/coherence', {
        params: { org_id: orgId },
        query: { agent_ids: agentIds.join(','), include: 'pairwise' },
      }),
    enabled: agentIds.length > 1,
  })
}

/** The latest analysis of each kind; null if there is none yet. */
export function useIntelligence(orgId: string, teamId: string) {
  return useQuery({
    queryKey: [...teamKey(teamId), 'intelligence'],
    queryFn: async () => {
      const [faultLines, forecast, recommendation] = await Promise.all([
        latest(orgId, teamId, 'fault_lines'),
        latest(orgId, teamId, 'forecast'),
        latest(orgId, teamId, 'recommendation'),
      ])
      return {
        faultLines: faultLines !== null && 'analysis_id' in faultLines ? faultLines : null,
        forecast: forecast !== null && 'forecast_id' in forecast ? forecast : null,
        recommendation:
          recommendation !== null && 'recommendation_id' in recommendation ? recommendation : null,
      }
    },
  })
}

type Kind = 'fault_lines' | 'forecast' | 'recommendation'

async function latest(orgId: string, teamId: string, type: Kind) {
  const { items } = await api.request('GET', '/v1/teams/{team_id}/intelligence', {
    ...forOrg(orgId),
    params: { team_id: teamId },
    query: { type, per_page: 1 },
  })
  const [item] = items
  if (item === undefined) return null
  return api.request('GET', '/v1/teams/{team_id}/intelligence/{item_id}', {
    ...forOrg(orgId),
    params: { team_id: teamId, item_id: item.id },
  })
}
