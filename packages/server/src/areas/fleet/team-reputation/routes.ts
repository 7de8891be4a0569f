import { badgeEtag, badgeSvg } from '@touchstone/protocol/score'
import { actorOf, orgIdsOf, requireTenant } from '../../../http/access/guard.ts'
import { sendPublished, withWeakEtag } from '../../../http/answers/published.ts'
import type { Server } from '../../../http/server.ts'
import { TeamParams } from '../../../http/wire.ts'
import {
  BadgeImage,
  BadgeQuery,
  type Publisher,
  TeamHistory,
  TeamReputation,
  TeamVerification,
  toTeamHistory,
  toTeamReputation,
  toTeamVerification,
} from './schema.ts'
import type { TeamReputationService } from './service.ts'

const tags = ['team reputation']
const BADGE_TYPE = 'image/svg+xml; charset=utf-8'
const OF_TEAM = { feature: 'team_reputation', tenantFrom: 'team', envelope: 'text' } as const
const RECOMPUTE = { ...OF_TEAM, access: 'teams.manage', perMinute: 10 } as const
const PUBLIC = { access: 'public', envelope: 'text', perMinute: 100 } as const

export function teamReputationRoutes(
  app: Server,
  reputation: TeamReputationService,
  publisher: Publisher,
): void {
  app.get(
    '/v1/teams/:team_id/reputation',
    {
      config: PUBLIC,
      schema: {
        operationId: 'getTeamReputation',
        summary: "Get a team's score",
        description: 'With its grade and five components.',
        tags,
        params: TeamParams,
        response: { 200: TeamReputation },
      },
    },
    async (req, reply) => {
      const { made, isPrivate } = await reputation.get(req.params.team_id, orgIdsOf(req))
      const view = { made: withWeakEtag(toTeamReputation(made, publisher)), isPrivate }
      return sendPublished(reply, view, { seconds: 60 })
    },
  )

  app.get(
    '/v1/teams/:team_id/reputation/history',
    {
      config: PUBLIC,
      schema: {
        operationId: 'getTeamReputationHistory',
        summary: "List a team's weekly scores",
        description: 'Latest week first.',
        tags,
        params: TeamParams,
        response: { 200: TeamHistory },
      },
    },
    async (req, reply) => {
      const { team_id: teamId } = req.params
      const { made, isPrivate } = await reputation.history(teamId, orgIdsOf(req))
      const view = { made: withWeakEtag(toTeamHistory(teamId, made)), isPrivate }
      return sendPublished(reply, view, { seconds: 300 })
    },
  )

  provingRoutes(app, reputation)
  recomputeRoute(app, reputation, publisher)
}

function provingRoutes(app: Server, reputation: TeamReputationService): void {
  app.get(
    '/v1/teams/:team_id/reputation/verify',
    {
      config: PUBLIC,
      schema: {
        operationId: 'verifyTeamReputation',
        summary: "Verify a team's score",
        description: 'Checks the evidence it was computed from.',
        tags,
        params: TeamParams,
        response: { 200: TeamVerification },
      },
    },
    async (req, reply) => {
      const { made, isPrivate } = await reputation.verify(req.params.team_id, orgIdsOf(req))
      const view = { made: withWeakEtag(toTeamVerification(made)), isPrivate }
      return sendPublished(reply, view, { seconds: 60 })
    },
  )
}

function recomputeRoute(
  app: Server,
  reputation: TeamReputationService,
  publisher: Publisher,
): void {
  app.post(
    '/v1/teams/:team_id/reputation/recompute',
    {
      config: RECOMPUTE,
      schema: {
        operationId: 'recomputeTeamReputation',
        summary: "Recompute a team's score now",
        description: 'Counts towards the usage of the plan.',
        tags,
        params: TeamParams,
        response: { 200: TeamReputation },
      },
    },
    async (req) => {
      const { team_id: teamId } = req.params
      await reputation.recompute(teamId, actorOf(req))
      const { made } = await reputation.get(teamId, [requireTenant(req).orgId])
      return toTeamReputation(made, publisher)
    },
  )
}

/** Every team has a badge, which may say that it is not rated (spec: fleet §4.3). */
export function teamBadgeRoutes(
  app: Server,
  reputation: TeamReputationService,
  label: string,
): void {
  app.get(
    '/v1/teams/:team_id/badge.svg',
    {
      config: { ...PUBLIC, perMinute: 300 },
      schema: {
        operationId: 'getTeamBadge',
        summary: "Get a badge with a team's score",
        description: 'As SVG.',
        tags,
        params: TeamParams,
        querystring: BadgeQuery,
        response: { 200: BadgeImage },
      },
    },
    async (req, reply) => {
      const { variant = 'score' } = req.query
      const { made, isPrivate } = await reputation.badge(req.params.team_id, orgIdsOf(req))
      const body = badgeSvg({ label: `${label} Team`, variant, subject: made })
      const view = { made: { body, etag: badgeEtag(body) }, isPrivate }
      return sendPublished(reply, view, { seconds: 3600, type: BADGE_TYPE })
    },
  )
}
