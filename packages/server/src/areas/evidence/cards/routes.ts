import { stringify } from 'yaml'
import { actorOf, orgIdsOf, requireTenant } from '../../../http/access/guard.ts'
import { wantsYaml } from '../../../http/answers/accept.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, toPageRequest } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  CardBody,
  CardChanged,
  CardHistory,
  CardPatch,
  CardQuery,
  CardVerdict,
  CardView,
  HistoryQuery,
  toCardChanged,
  toCardHistory,
  toCardTag,
  toCardView,
} from './schema.ts'
import { type CardService, splitSubmission } from './service.ts'

const tags = ['alignment cards']

/** The request headers that the representation of a card depends on. */
const VARY = 'Accept, Authorization, X-Service-Api-Key'

export function cardRoutes(app: Server, cards: CardService): void {
  app.get(
    '/v1/agents/:agent_id/card',
    {
      config: { access: 'public', showsAgentState: true, perMinute: 120, media: 'document' },
      schema: {
        operationId: 'getAgentCard',
        summary: "Get an agent's alignment card",
        description: 'As JSON, or as YAML if Accept prefers it.',
        tags,
        params: AgentParams,
        querystring: CardQuery,
        response: { 200: CardView },
      },
    },
    async (req, reply) => {
      const view = await cards.get(req.params.agent_id, orgIdsOf(req), req.query)
      const isYaml = wantsYaml(req.headers.accept)
      reply.header('vary', VARY)
      // A composed card changes without a new version, so its ETag is derived from the body.
      if (!view.isComposed) reply.header('etag', toCardTag(view, isYaml))
      if (!isYaml) return toCardView(view)
      // The cast bypasses the response type, which describes JSON; YAML contains only the card.
      return reply.type('application/yaml').send(stringify(view.stored.card) as never)
    },
  )

  app.get(
    '/v1/agents/:agent_id/card/history',
    {
      config: { access: 'cards.read', tenantFrom: 'agent', perMinute: 120 },
      schema: {
        operationId: 'listAgentCardVersions',
        summary: "List the versions of an agent's card",
        description: 'Newest first.',
        tags,
        params: AgentParams,
        querystring: HistoryQuery,
        response: { 200: CardHistory },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      const active = await cards.get(agentId, orgIdsOf(req))
      const page = await cards.history(agentId, toPageRequest(req.query))
      return toCardHistory(page, active.stored.version)
    },
  )

  app.post(
    '/v1/agents/:agent_id/card/validate',
    {
      config: { access: 'cards.read', tenantFrom: 'agent', perMinute: 120, media: 'document' },
      schema: {
        operationId: 'validateAgentCard',
        summary: 'Validate a card without storing it',
        tags,
        params: AgentParams,
        body: CardBody,
        response: { 200: CardVerdict },
      },
    },
    async (req) => {
      const agent = { orgId: requireTenant(req).orgId, agentId: req.params.agent_id }
      const { valid, errors, warnings } = await cards.validate(agent, splitSubmission(req.body))
      return { valid, errors: [...errors], warnings: [...warnings] }
    },
  )
}

export function cardChangeRoutes(app: Server, cards: CardService): void {
  const config = {
    access: 'cards.change',
    tenantFrom: 'agent',
    perMinute: 60,
    refuses: [409, 412, 422],
  } as const

  app.put(
    '/v1/agents/:agent_id/card',
    {
      config: { ...config, media: 'document' },
      schema: {
        operationId: 'replaceAgentCard',
        summary: "Replace an agent's card",
        description: 'If-Match prevents lost updates.',
        tags,
        params: AgentParams,
        body: CardBody,
        response: { 200: CardChanged },
      },
    },
    async (req) =>
      toCardChanged(
        await cards.replace({
          agentId: req.params.agent_id,
          submission: splitSubmission(req.body),
          expected: req.headers['if-match'],
          actor: actorOf(req),
        }),
      ),
  )

  app.patch(
    '/v1/agents/:agent_id/card',
    {
      config,
      schema: {
        operationId: 'patchAgentCard',
        summary: "Change parts of an agent's card",
        description: 'A JSON merge patch (RFC 7396).',
        tags,
        params: AgentParams,
        body: CardPatch,
        response: { 200: CardChanged },
      },
    },
    async (req) => {
      const { card_json: card, conscience_values: conscienceValues, reason } = req.body
      if (card === undefined && conscienceValues === undefined) {
        const message = 'is missing; it holds the changes to the card'
        throw new Problem('invalid_request', `card_json: ${message}`, {
          details: [{ path: '/card_json', code: 'required', message }],
        })
      }
      return toCardChanged(
        await cards.patch({
          agentId: req.params.agent_id,
          patch: { card, conscienceValues, reason },
          expected: req.headers['if-match'],
          actor: actorOf(req),
        }),
      )
    },
  )
}
