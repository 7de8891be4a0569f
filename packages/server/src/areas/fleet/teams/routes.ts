import { actorOf, enterTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, TeamParams, toPageRequest } from '../../../http/wire.ts'
import type { RosterService } from './roster-service.ts'
import {
  Archived,
  MemberParams,
  MembersAdded,
  NewMembersBody,
  NewTeamBody,
  Removed,
  RosterPage,
  RosterQuery,
  TEAM_PAGES,
  Team,
  TeamChanges,
  TeamPage,
  TeamQuery,
  TeamWithMembers,
  toMembersAdded,
  toNewTeam,
  toRosterPage,
  toTeam,
  toTeamChanges,
  toTeamPage,
  toTeamWithMembers,
} from './schema.ts'
import type { TeamService } from './service.ts'

const tags = ['teams']

const SHARED = { feature: 'team_reputation', envelope: 'text', perMinute: 60 } as const
const READ = { ...SHARED, access: 'teams.read', tenantFrom: 'team' } as const
const MANAGE = { ...SHARED, access: 'teams.manage', tenantFrom: 'team' } as const

export function teamRoutes(app: Server, teams: TeamService): void {
  app.post(
    '/v1/teams',
    {
      config: { ...MANAGE, tenantFrom: 'handler', refuses: [404] },
      schema: {
        operationId: 'createTeam',
        summary: 'Create a team',
        description: 'A team has 2 to 50 agents of one organisation.',
        tags,
        body: NewTeamBody,
        response: { 201: TeamWithMembers },
      },
    },
    async (req, reply) => {
      enterTenant(req, req.body.org_id, MANAGE.access)
      const created = await teams.create(toNewTeam(req.body), actorOf(req))
      return reply.code(201).send(toTeamWithMembers(created))
    },
  )

  app.get(
    '/v1/orgs/:org_id/teams',
    {
      config: { ...SHARED, access: 'teams.read' },
      schema: {
        operationId: 'listTeams',
        summary: 'List the teams of an organisation',
        description: 'Newest first.',
        tags,
        params: OrgParams,
        querystring: TeamQuery,
        response: { 200: TeamPage },
      },
    },
    async (req) => {
      const page = toPageRequest(req.query, TEAM_PAGES)
      return toTeamPage(await teams.list(req.params.org_id, req.query.status ?? 'active', page))
    },
  )

  singleRoutes(app, teams)
}

function singleRoutes(app: Server, teams: TeamService): void {
  app.get(
    '/v1/teams/:team_id',
    {
      config: READ,
      schema: {
        operationId: 'getTeam',
        summary: 'Get a team and its members',
        tags,
        params: TeamParams,
        response: { 200: TeamWithMembers },
      },
    },
    async (req) => toTeamWithMembers(await teams.get(req.params.team_id)),
  )

  app.patch(
    '/v1/teams/:team_id',
    {
      config: { ...MANAGE, refuses: [409] },
      schema: {
        operationId: 'updateTeam',
        summary: 'Update a team',
        tags,
        params: TeamParams,
        body: TeamChanges,
        response: { 200: Team },
      },
    },
    async (req) =>
      toTeam(await teams.update(req.params.team_id, toTeamChanges(req.body), actorOf(req))),
  )

  app.delete(
    '/v1/teams/:team_id',
    {
      config: MANAGE,
      schema: {
        operationId: 'archiveTeam',
        summary: 'Archive a team permanently',
        description: 'An archived team is read-only.',
        tags,
        params: TeamParams,
        response: { 200: Archived },
      },
    },
    async (req) => {
      await teams.archive(req.params.team_id, actorOf(req))
      return { archived: true as const, team_id: req.params.team_id }
    },
  )
}

export function rosterRoutes(app: Server, teams: TeamService, roster: RosterService): void {
  app.post(
    '/v1/teams/:team_id/members',
    {
      config: MANAGE,
      schema: {
        operationId: 'addTeamMembers',
        summary: 'Add agents to a team',
        description: 'Adds all of the agents, or none if the team would exceed 50.',
        tags,
        params: TeamParams,
        body: NewMembersBody,
        response: { 200: MembersAdded },
      },
    },
    async (req) => {
      const { team_id: teamId } = req.params
      const added = await roster.addMembers(teamId, req.body.agent_ids, actorOf(req))
      return toMembersAdded(teamId, added)
    },
  )

  app.delete(
    '/v1/teams/:team_id/members/:agent_id',
    {
      config: { ...MANAGE, refuses: [409] },
      schema: {
        operationId: 'removeTeamMember',
        summary: 'Remove an agent from a team',
        description: 'At least two agents must remain.',
        tags,
        params: MemberParams,
        response: { 200: Removed },
      },
    },
    async (req) => {
      const { team_id: teamId, agent_id: agentId } = req.params
      await roster.removeMember(teamId, agentId, actorOf(req))
      return { removed: true as const, agent_id: agentId }
    },
  )

  app.get(
    '/v1/teams/:team_id/roster-history',
    {
      config: READ,
      schema: {
        operationId: 'listRosterChanges',
        summary: 'List the changes to the members of a team',
        description: 'Newest first.',
        tags,
        params: TeamParams,
        querystring: RosterQuery,
        response: { 200: RosterPage },
      },
    },
    async (req) => {
      const { team_id: teamId } = req.params
      const page = toPageRequest(req.query, TEAM_PAGES)
      return toRosterPage(teamId, await teams.rosterHistory(teamId, page))
    },
  )
}
