import { actorOf } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { TeamParams, toPageRequest } from '../../../http/wire.ts'
import {
  CARD_PAGES,
  CardHistoryQuery,
  DeriveQuery,
  TeamCardBody,
  TeamCardDerived,
  TeamCardHistory,
  TeamCardSaved,
  TeamCardView,
  toSubmission,
  toTeamCard,
  toTeamCardDerived,
  toTeamCardHistory,
  toTeamCardSaved,
} from './schema.ts'
import type { TeamCardService } from './service.ts'

const tags = ['teams']

const OF_TEAM = { feature: 'team_reputation', tenantFrom: 'team' } as const
const USUAL = { ...OF_TEAM, envelope: 'text', perMinute: 60 } as const
const READ = { ...USUAL, access: 'teams.read' } as const
const MANAGE = { ...USUAL, access: 'teams.manage' } as const

export function teamCardRoutes(app: Server, cards: TeamCardService): void {
  app.get(
    '/v1/teams/:team_id/card',
    {
      config: READ,
      schema: {
        operationId: 'getTeamCard',
        summary: 'Get the active card of a team',
        description: 'Null if it has none.',
        tags,
        params: TeamParams,
        response: { 200: TeamCardView },
      },
    },
    async (req, reply) => {
      const active = await cards.findActive(req.params.team_id)
      // Serialised here, because the framework sends an empty body for null. The cast bypasses the
      // response type, which describes the value before serialisation.
      if (active === undefined) return reply.type('application/json').send('null' as never)
      reply.header('etag', `"${active.version}"`)
      return toTeamCard(active)
    },
  )

  app.get(
    '/v1/teams/:team_id/card/history',
    {
      config: READ,
      schema: {
        operationId: 'listTeamCardVersions',
        summary: 'List the versions of the card of a team',
        description: 'Newest first.',
        tags,
        params: TeamParams,
        querystring: CardHistoryQuery,
        response: { 200: TeamCardHistory },
      },
    },
    async (req) => {
      const { team_id: teamId } = req.params
      const withCards = req.query.include === 'card_json'
      const page = toPageRequest(req.query, CARD_PAGES)
      return toTeamCardHistory(await cards.history(teamId, page, { withCards }))
    },
  )

  changingRoutes(app, cards)
}

function changingRoutes(app: Server, cards: TeamCardService): void {
  app.put(
    '/v1/teams/:team_id/card',
    {
      config: { ...MANAGE, refuses: [409, 412] },
      schema: {
        operationId: 'replaceTeamCard',
        summary: 'Replace the card of a team',
        description: 'If-Match prevents lost updates.',
        tags,
        params: TeamParams,
        body: TeamCardBody,
        response: { 200: TeamCardSaved },
      },
    },
    async (req, reply) => {
      const by = { actor: actorOf(req), ifMatch: req.headers['if-match'] }
      const saved = await cards.replace(req.params.team_id, toSubmission(req.body), by)
      reply.header('etag', `"${saved.version}"`)
      return toTeamCardSaved(saved)
    },
  )

  app.post(
    '/v1/teams/:team_id/card/derive',
    {
      config: MANAGE,
      schema: {
        operationId: 'deriveTeamCard',
        summary: "Derive the card of a team from its members' cards",
        tags,
        params: TeamParams,
        querystring: DeriveQuery,
        response: { 200: TeamCardDerived },
      },
    },
    async (req) => {
      const by = { actor: actorOf(req), preview: req.query.preview === true }
      return toTeamCardDerived(await cards.derive(req.params.team_id, by))
    },
  )
}
