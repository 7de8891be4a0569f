import type { Client } from '../client.ts'
import type { Body, CallOptions, Query } from '../operation.ts'
import { items } from '../pages.ts'

const TEAM = '/v1/teams/{team_id}'

/** Teams, their reputation, fault lines and risk forecasts. */
export function createTeamsApi(client: Client) {
  const forTeam = (teamId: string, call?: CallOptions) => ({ ...call, params: { team_id: teamId } })
  return {
    create: (body: Body<'POST', '/v1/teams'>, call?: CallOptions) =>
      client.request('POST', '/v1/teams', { ...call, body }),
    list: (orgId: string, query?: Query<'GET', '/v1/orgs/{org_id}/teams'>, call?: CallOptions) =>
      items(client, '/v1/orgs/{org_id}/teams', { ...call, params: { org_id: orgId }, query }),
    get: (teamId: string, call?: CallOptions) => client.request('GET', TEAM, forTeam(teamId, call)),
    update: (teamId: string, body: Body<'PATCH', typeof TEAM>, call?: CallOptions) =>
      client.request('PATCH', TEAM, { ...forTeam(teamId, call), body }),
    archive: (teamId: string, call?: CallOptions) =>
      client.request('DELETE', TEAM, forTeam(teamId, call)),
    addMember: (
      teamId: string,
      body: Body<'POST', '/v1/teams/{team_id}/members'>,
      call?: CallOptions,
    ) => client.request('POST', '/v1/teams/{team_id}/members', { ...forTeam(teamId, call), body }),
    removeMember: (teamId: string, agentId: string, call?: CallOptions) => {
      const params = { team_id: teamId, agent_id: agentId }
      return client.request('DELETE', '/v1/teams/{team_id}/members/{agent_id}', { ...call, params })
    },
    reputation: (teamId: string, call?: CallOptions) =>
      client.request('GET', '/v1/teams/{team_id}/reputation', forTeam(teamId, call)),

    faultLines: (body: Body<'POST', '/v1/teams/fault-lines'>, call?: CallOptions) =>
      client.request('POST', '/v1/teams/fault-lines', { ...call, body }),
    forecast: (body: Body<'POST', '/v1/teams/forecast'>, call?: CallOptions) =>
      client.request('POST', '/v1/teams/forecast', { ...call, body }),
    recommendPolicy: (body: Body<'POST', '/v1/teams/recommend-policy'>, call?: CallOptions) =>
      client.request('POST', '/v1/teams/recommend-policy', { ...call, body }),
  }
}

/** Risk assessments of an action by one agent or by several. */
export function createRiskApi(client: Client) {
  return {
    assess: (body: Body<'POST', '/v1/risk/assess'>, call?: CallOptions) =>
      client.request('POST', '/v1/risk/assess', { ...call, body }),
    assessTeam: (body: Body<'POST', '/v1/risk/assess/team'>, call?: CallOptions) =>
      client.request('POST', '/v1/risk/assess/team', { ...call, body }),
    get: (assessmentId: string, call?: CallOptions) => {
      const params = { assessment_id: assessmentId }
      return client.request('GET', '/v1/risk/assessments/{assessment_id}', { ...call, params })
    },
    history: (agentId: string, limit?: number, call?: CallOptions) =>
      client.request('GET', '/v1/risk/history/{agent_id}', {
        ...call,
        params: { agent_id: agentId },
        query: { limit },
      }),
    teamHistory: (
      teamId: string,
      query?: Query<'GET', '/v1/risk/team-history/{team_id}'>,
      call?: CallOptions,
    ) =>
      client.request('GET', '/v1/risk/team-history/{team_id}', {
        ...call,
        params: { team_id: teamId },
        query,
      }),
  }
}
