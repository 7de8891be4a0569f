import { badgeEtag, badgeSvg } from '@touchstone/protocol'
import type { FastifyReply } from 'fastify'
import { bodyEtag } from '../../../http/etag.ts'
import { actorOf, orgIdsOf } from '../../../http/guard.ts'
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
const JSON_TYPE = 'application/json; charset=utf-8'

/** Bytes as they go out, with the tag that names them. */
type Answer = { body: string; etag: string }

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
        const body = JSON.stringify(toScore(reputation, publisher))
        return { made: weakly(body), keep: reputation.score !== null }
      })
      return send(reply.type(JSON_TYPE), view, 60)
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
      const view = { made: weakly(JSON.stringify(toHistory(made))), isPrivate }
      return send(reply.type(JSON_TYPE), view, 300)
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
      const view = await scores.badge(asked, (subject): Answer => {
        const body = badgeSvg({ label, variant, subject })
        return { body, etag: badgeEtag(body) }
      })
      return send(reply.type('image/svg+xml; charset=utf-8'), view, 3600)
    },
  )
}

function weakly(body: string): Answer {
  return { body, etag: `W/${bodyEtag(body)}` }
}

function send(
  reply: FastifyReply,
  { made, isPrivate }: { made: Answer; isPrivate: boolean },
  seconds: number,
) {
  return reply
    .header('cache-control', isPrivate ? 'private, no-store' : `public, max-age=${seconds}`)
    .header('etag', made.etag)
    .send(made.body)
}
