import { badgeEtag, badgeSvg } from '@touchstone/protocol'
import { actorOf, orgIdsOf } from '../../../http/guard.ts'
import { type PublishedAnswer, sendPublished, weakly } from '../../../http/published.ts'
import type { Server } from '../../../http/server.ts'
import type { Clock } from '../../../kernel/clock.ts'
import {
  AgentParams,
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
import type { ScoreService } from './service.ts'

const tags = ['reputation']
const BADGE_TYPE = 'image/svg+xml; charset=utf-8'

/** Public reading of scores. Limits are those of the interface, per caller and minute. */
export function scoreRoutes(app: Server, scores: ScoreService, publisher: Publisher): void {
  app.get(
    '/v1/reputation/:agent_id',
    {
      config: { access: 'public', perMinute: 100 },
      schema: {
        summary: 'The score of an agent, its grade, and what the number hides',
        tags,
        params: AgentParams,
        response: { 200: Score },
      },
    },
    async (req, reply) => {
      const { agent_id: agentId } = req.params
      const view = await scores.view(agentId, orgIdsOf(req), 'score', async (agent) => {
        const reputation = await scores.get(agent)
        return { made: weakly(toScore(reputation, publisher)), keep: reputation.score !== null }
      })
      return sendPublished(reply, view, { seconds: 60 })
    },
  )

  app.get(
    '/v1/reputation/:agent_id/history',
    {
      config: { access: 'public', perMinute: 60 },
      schema: {
        summary: 'Weekly scores of an agent, latest week first',
        tags,
        params: AgentParams,
        response: { 200: History },
      },
    },
    async (req, reply) => {
      const { made, isPrivate } = await scores.history(req.params.agent_id, orgIdsOf(req))
      const view = { made: weakly(toHistory(made)), isPrivate }
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
        summary: 'Compute the score of an agent now',
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
        summary: 'What the score of an agent would become; stores nothing',
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

/** 01 §7.6: every agent has a badge, if only one that says it is not rated. */
export function badgeRoutes(app: Server, scores: ScoreService, label: string): void {
  app.get(
    '/v1/reputation/:agent_id/badge.svg',
    {
      config: { access: 'public', perMinute: 300 },
      schema: {
        summary: 'A badge with the score of an agent, as SVG',
        tags,
        params: AgentParams,
        querystring: BadgeQuery,
        response: { 200: BadgeImage },
      },
    },
    async (req, reply) => {
      const { variant = 'score' } = req.query
      const asked = { agentId: req.params.agent_id, orgIds: orgIdsOf(req), variant }
      const view = await scores.badge(asked, (subject): PublishedAnswer => {
        const body = badgeSvg({ label, variant, subject })
        return { body, etag: badgeEtag(body) }
      })
      return sendPublished(reply, view, { seconds: 3600, type: BADGE_TYPE })
    },
  )
}
