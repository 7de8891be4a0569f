import { badgeEtag, badgeSvg } from '@touchstone/protocol/score'
import { actorOf, orgIdsOf } from '../../../http/access/guard.ts'
import { sendPublished, withWeakEtag } from '../../../http/answers/published.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams } from '../../../http/wire.ts'
import type { Clock } from '../../../kernel/clock.ts'
import {
  BadgeImage,
  BadgeQuery,
  History,
  type Publisher,
  Recomputed,
  Score,
  Simulation,
  SimulationBody,
  toHistory,
  toHypothesis,
  toRecomputed,
  toScore,
  toSimulation,
} from './schema.ts'
import { SCORE_KIND, type ScoreService } from './service.ts'

const tags = ['reputation']

const SCORE = { route: '/v1/reputation/:agent_id', perMinute: 100, seconds: 60 }
const BADGE = {
  route: '/v1/reputation/:agent_id/badge.svg',
  perMinute: 300,
  seconds: 3600,
  type: 'image/svg+xml; charset=utf-8',
}
const DEFAULT_VARIANT = 'score'

/** Public reads of scores. Limits: spec: interface, Limits. */
export function scoreRoutes(app: Server, scores: ScoreService, publisher: Publisher): void {
  app.get(
    SCORE.route,
    {
      config: { access: 'public', reads: 'stale', perMinute: SCORE.perMinute },
      schema: {
        operationId: 'getReputation',
        summary: "Get an agent's score",
        description: 'With its grade, components and uncertainty.',
        tags,
        params: AgentParams,
        response: { 200: Score },
      },
    },
    async (req, reply) => {
      const { agent_id: agentId } = req.params
      const view = await scores.view(agentId, orgIdsOf(req), SCORE_KIND, async (agent) => {
        const reputation = await scores.get(agent)
        return {
          made: withWeakEtag(toScore(reputation, publisher)),
          keep: reputation.score !== null,
        }
      })
      return sendPublished(reply, view, SCORE)
    },
  )

  app.get(
    '/v1/reputation/:agent_id/history',
    {
      config: { access: 'public', reads: 'stale', perMinute: 60 },
      schema: {
        operationId: 'getReputationHistory',
        summary: "List an agent's weekly scores",
        description: 'Latest week first.',
        tags,
        params: AgentParams,
        response: { 200: History },
      },
    },
    async (req, reply) => {
      const { made, isPrivate } = await scores.history(req.params.agent_id, orgIdsOf(req))
      const view = { made: withWeakEtag(toHistory(made)), isPrivate }
      return sendPublished(reply, view, { seconds: 300 })
    },
  )
}

export function scoreActionRoutes(app: Server, scores: ScoreService, clock: Clock): void {
  app.post(
    '/v1/reputation/:agent_id/recompute',
    {
      config: { access: 'score.recompute', tenantFrom: 'agent', perMinute: 10, refuses: [409] },
      schema: {
        operationId: 'recomputeReputation',
        summary: "Recompute an agent's score now",
        tags,
        params: AgentParams,
        response: { 200: Recomputed },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      return toRecomputed(agentId, await scores.recompute(agentId, actorOf(req)), clock.now())
    },
  )
}

export function simulationRoutes(app: Server, scores: ScoreService): void {
  app.post(
    '/v1/reputation/:agent_id/simulate',
    {
      config: { access: 'reputation.query', tenantFrom: 'agent', perMinute: 30 },
      schema: {
        operationId: 'simulateReputation',
        summary: "Simulate an agent's score after changes",
        description: 'Stores nothing.',
        tags,
        params: AgentParams,
        body: SimulationBody,
        response: { 200: Simulation },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      return toSimulation(agentId, await scores.simulate(agentId, toHypothesis(req.body)))
    },
  )
}

/** Every agent has a badge, which may say that it is not rated (spec: reputation §6). */
export function badgeRoutes(app: Server, scores: ScoreService, label: string): void {
  app.get(
    BADGE.route,
    {
      config: { access: 'public', reads: 'stale', perMinute: BADGE.perMinute },
      schema: {
        operationId: 'getBadge',
        summary: "Get a badge with an agent's score",
        description: 'As SVG.',
        tags,
        params: AgentParams,
        querystring: BadgeQuery,
        response: { 200: BadgeImage },
      },
    },
    async (req, reply) => {
      const { variant = DEFAULT_VARIANT } = req.query
      const asked = { agentId: req.params.agent_id, orgIds: orgIdsOf(req), variant }
      const view = await scores.badge(asked, (subject, assurance) => {
        const body = badgeSvg({ label, variant, subject, assurance })
        return { body, etag: badgeEtag(body) }
      })
      return sendPublished(reply, view, BADGE)
    },
  )
}
